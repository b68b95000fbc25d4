public import FaceCore
public import Posix

/// A source of frames, one after the other: a camera, a stream or files. Used by one thread at a time.
public protocol FrameSource: AnyObject, Sendable {
  /// Waits for the next item.
  ///
  /// Throws if the source has failed for good: the stream is damaged or ends inside a frame, or the device
  /// cannot be opened.
  /// - Parameter interruption: ends the wait, and with it the source.
  func next(or interruption: Interruption) throws(Status) -> SourceItem
}

public enum SourceItem {
  case frame(CapturedFrame)
  /// A damaged or incomplete frame. More frames may follow.
  case broken(Status, FrameOrigin)
  case camera(CameraEvent)
  /// The source has no more frames, or was interrupted.
  case ended
}

/// Where and when a frame was taken.
public struct FrameOrigin: Equatable, Sendable {
  /// Nanoseconds: on the monotonic clock for a camera, otherwise since the first frame.
  public var timestamp: UInt64
  /// The picture's path; `nil` for a frame that is not a file.
  public var path: String?

  public init(timestamp: UInt64, path: String? = nil) {
    self.timestamp = timestamp
    self.path = path
  }
}

/// A frame, borrowed from its source until this value and every `HeldImage` made from it have ended.
public struct CapturedFrame {
  /// Valid for as long as this value or an image of `held` exists.
  public let content: ImageInput.Source
  public let origin: FrameOrigin
  /// The source's rate; `nil` if it has none.
  public let rate: FrameRate?
  /// The shape of the stored pixels; `nil` for squares.
  public let shape: PixelShape?
  private let owner: AnyObject

  /// - Parameter owner: keeps the content valid. Its deinitializer tells the source that the frame is no
  ///   longer used.
  public init(
    _ content: ImageInput.Source, _ origin: FrameOrigin, rate: FrameRate?, shape: PixelShape? = nil,
    owner: AnyObject
  ) {
    self.content = content
    self.origin = origin
    self.rate = rate
    self.shape = shape
    self.owner = owner
  }

  /// Returns `input`, which was made from this frame's content, as an image that keeps the frame alive.
  public func held(as input: ImageInput) -> HeldImage {
    HeldImage(input) { [owner] in withExtendedLifetime(owner) {} }
  }
}

/// A change of a camera's state.
public enum CameraEvent: Equatable, Sendable {
  /// The camera delivers frames, for the first time or again.
  case opened(OpenedCamera)
  /// The camera is gone; the source waits for it.
  case lost(path: String, reason: String)
}

/// A camera that delivers frames.
public struct OpenedCamera: Equatable, Sendable {
  public var path: String
  public var name: String
  public var format: CameraFormat
  public var size: PixelSize
  /// Frames per second; `nil` if the driver does not say.
  public var rate: Double?
}

/// Frames per second as a fraction, since 30000/1001 has no exact decimal form.
public struct FrameRate: Equatable, Sendable {
  public let numerator: UInt32
  public let denominator: UInt32

  /// Returns `nil` if either number is 0.
  public init?(_ numerator: UInt32, _ denominator: UInt32 = 1) {
    guard numerator > 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The time from the first frame, which has index 0, to this one in nanoseconds; `.max` on overflow.
  public func time(ofFrame index: UInt64) -> UInt64 {
    let (ticks, overflow) = index.multipliedReportingOverflow(by: UInt64(denominator))
    guard !overflow else { return .max }
    let nanoseconds = ticks.multipliedFullWidth(by: 1_000_000_000)
    guard nanoseconds.high < numerator else { return .max }
    return UInt64(numerator).dividingFullWidth(nanoseconds).quotient
  }
}

/// The width of a pixel divided by its height, as a fraction.
public struct PixelShape: Equatable, Sendable {
  public let width: UInt32
  public let height: UInt32

  /// Scaling leaves pixels such as 376:375 behind. To take them for squares moves no point by a hundredth.
  private static let squares: ClosedRange<Float> = 0.99...1.01

  /// Returns `nil` for pixels that are squares, or nearly so. Files that do not know the shape have 0:1, 0:0 or
  /// nonsense, which is taken for squares as well.
  public init?(_ width: UInt32, _ height: UInt32) {
    self.width = width
    self.height = height
    guard height > 0, ImageInput.pixelAspects.contains(aspect), !PixelShape.squares.contains(aspect) else {
      return nil
    }
  }

  public var aspect: Float { Float(width) / Float(height) }
}
