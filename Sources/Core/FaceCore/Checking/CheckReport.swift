/// The report of a guided check about one frame.
public struct CheckReport: Equatable, Sendable {
  /// The number of the attempt: from 1, one higher with each restart.
  public var attempt: UInt32
  /// The state after the frame, as all that follows.
  public var state: CheckState
  public var tip: Tip
  /// 0…1: the part of `CheckOptions.hold` that has passed.
  public var progress: Float
  public var actionsDone: Int
  public var actionCount: Int
  /// The mask in pixels of the upright image.
  public var circle: Circle
  /// The events, in the order in which they are to be reported.
  public var events: [CheckEvent]
  /// Whether this frame's picture is the best of the attempt so far. It then replaces the one that was kept
  /// before.
  public var isBest: Bool

  public init(
    attempt: UInt32, state: CheckState, tip: Tip, progress: Float, actionsDone: Int, actionCount: Int,
    circle: Circle, events: [CheckEvent], isBest: Bool = false
  ) {
    self.attempt = attempt
    self.state = state
    self.tip = tip
    self.progress = progress
    self.actionsDone = actionsDone
    self.actionCount = actionCount
    self.circle = circle
    self.events = events
    self.isBest = isBest
  }

  /// Whether the best picture may yet become a result. When it may not, it can be freed.
  public var needsPicture: Bool { state == .checking }
}

public enum CheckEvent: Equatable, Sendable {
  case status(CheckState)
  /// A new tip; in a photo, each that applies.
  case tip(Tip)
  /// The person's face, an index into the frame's faces.
  case draw(face: Int)
  /// The face is no longer there.
  case clear
  case result(CheckResult)
  case failed(CheckFailure)
}

/// The best picture of a check that succeeded.
public struct CheckResult: Equatable, Sendable {
  /// The face as `picture` shows it, with its measurements.
  public var face: Face
  /// The whole upright picture.
  public var picture: CheckPicture
  /// The square around the face.
  public var crop: CheckPicture
  /// The part of `picture` that the crop shows; it may extend beyond the picture.
  public var cropBox: Box

  public init(face: Face, picture: CheckPicture, crop: CheckPicture, cropBox: Box) {
    self.face = face
    self.picture = picture
    self.crop = crop
    self.cropBox = cropBox
  }
}

/// A picture that a check took.
public struct CheckPicture: Equatable, Sendable {
  public enum Form: Equatable, Sendable {
    /// Four bytes a pixel: blue, green, red, 255; rows without a gap.
    case bgra
    /// A whole JPEG file.
    case jpeg
    /// No bytes: the code that submits the frames keeps the picture (`CheckOptions.callerKeepsPicture`).
    case keptByCaller
  }

  public var size: PixelSize
  public var form: Form
  public var bytes: [UInt8]

  public init(size: PixelSize, form: Form, bytes: [UInt8]) {
    self.size = size
    self.form = form
    self.bytes = bytes
  }

  /// Runs `body` with the picture as an image. The picture must consist of pixels. Throws as `ImageView`
  /// does.
  public func withImage<Value>(_ body: (ImageInput) throws(Status) -> Value) throws(Status) -> Value {
    try bytes.span.withUnsafeBytes { (bytes) throws(Status) in
      let view = try ImageView(format: .bgra, width: size.width, height: size.height, bytes: bytes)
      return try body(ImageInput(.pixels(view), orientation: .up))
    }
  }
}

/// The reason why a check did not succeed.
public struct CheckFailure: Equatable, Sendable {
  /// A stable name, for programs.
  public var code: String
  /// One English sentence, for people.
  public var message: String

  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  public static let timeOut = CheckFailure(
    code: "time_out", message: "time ran out before the face was right for long enough")
  public static let waitTimeOut = CheckFailure(
    code: "wait_time_out", message: "time ran out before a face came into the circle")
  public static let faceLost = CheckFailure(
    code: "face_lost", message: "the face left the picture during the check")
  public static let faceChanged = CheckFailure(
    code: "face_changed", message: "another face took the place of the checked one")
  /// The failure of a check that was passed but whose picture is not available.
  public static func noPicture(_ reason: String) -> CheckFailure {
    CheckFailure(code: "no_picture", message: "the picture cannot be delivered: \(reason)")
  }
  /// The failure of a photo to which a tip applies.
  public static func notRight(_ tip: Tip) -> CheckFailure {
    CheckFailure(code: "not_right", message: "the photo cannot be used: \(tip.text)")
  }
}
