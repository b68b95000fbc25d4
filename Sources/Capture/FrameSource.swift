public import FaceCore
public import Posix

/// Frames from one place, one after the other. Used by one thread at a time.
public protocol FrameSource: AnyObject, Sendable {
  /// Waits for what comes next.
  ///
  /// Throws when nothing more will come though it should have: a stream that is damaged or ends inside a frame, a device that cannot be opened.
  /// - Parameter interruption: ends the waiting, and then the source.
  func next(or interruption: Interruption) throws(Status) -> SourceItem
}

/// What a source gives.
public enum SourceItem {
  case frame(CapturedFrame)
  /// A frame that came, but not whole. More may come.
  case broken(Status, FrameOrigin)
  case camera(CameraEvent)
  /// There are no more, or the source was interrupted.
  case ended
}

/// Where a frame is from.
public struct FrameOrigin: Equatable, Sendable {
  /// Nanoseconds: of a camera's monotonic clock, else since the first frame.
  public var timestamp: UInt64
  /// Path of the picture; `nil` where frames have none.
  public var path: String?

  public init(timestamp: UInt64, path: String? = nil) {
    self.timestamp = timestamp
    self.path = path
  }
}

/// One frame, borrowed from its source until the value and all that was made of it are gone.
public struct CapturedFrame {
  /// Valid as long as this value or what `held` gave lives.
  public let content: ImageInput.Source
  public let origin: FrameOrigin
  /// Of the source, where it says; `nil` for one that keeps no time.
  public let rate: FrameRate?
  private let owner: AnyObject

  /// - Parameter owner: keeps the content as it is; its end is how the source learns that the frame is done with.
  public init(_ content: ImageInput.Source, _ origin: FrameOrigin, rate: FrameRate?, owner: AnyObject) {
    self.content = content
    self.origin = origin
    self.rate = rate
    self.owner = owner
  }

  /// The frame as an image that is `input`, which was made of its content.
  public func held(as input: ImageInput) -> HeldImage {
    HeldImage(input) { [owner] in withExtendedLifetime(owner) {} }
  }
}

/// What happened to a camera.
public enum CameraEvent: Equatable, Sendable {
  /// It hands out frames, for the first time or again.
  case opened(OpenedCamera)
  /// It is gone, and waited for.
  case lost(path: String, reason: String)
}

/// A camera that hands out frames.
public struct OpenedCamera: Equatable, Sendable {
  public var path: String
  /// As its driver calls it.
  public var name: String
  public var format: CameraFormat
  public var size: PixelSize
  /// Frames a second, where the driver tells.
  public var rate: Double?
}

/// Frames a second, as a fraction: 30000/1001 is none that a decimal number gives.
public struct FrameRate: Equatable, Sendable {
  public let numerator: UInt32
  public let denominator: UInt32

  /// `nil` where one of them is 0.
  public init?(_ numerator: UInt32, _ denominator: UInt32 = 1) {
    guard numerator > 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Nanoseconds from the first frame to the one of this index, counted from 0; the largest number there is where that is
  /// beyond it.
  public func time(ofFrame index: UInt64) -> UInt64 {
    let (ticks, overflow) = index.multipliedReportingOverflow(by: UInt64(denominator))
    guard !overflow else { return .max }
    let nanoseconds = ticks.multipliedFullWidth(by: 1_000_000_000)
    guard nanoseconds.high < numerator else { return .max }
    return UInt64(numerator).dividingFullWidth(nanoseconds).quotient
  }
}
