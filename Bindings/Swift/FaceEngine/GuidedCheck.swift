internal import CFaceEngine

extension FaceEngine {
  /// Leads a person in front of a camera to a good picture of the face: see docs/guided-check.md.
  ///
  /// - Parameters:
  ///   - frames: the camera's.
  ///   - actions: what the person has to do, one after the other.
  ///   - options: what the check demands.
  ///   - mode: `every` for a recording.
  ///   - outputs: what else to measure of the face.
  /// - Returns: the events of one attempt. Unless the frames end before, the last one is ``CheckEvent/Kind/result(_:)``
  ///   or
  ///   ``CheckEvent/Kind/failed(code:message:)``. Another attempt is another call. The sequence fails as
  ///   ``follow(_:mode:_:options:session:)`` does.
  public func guidedCheck<Frames: AsyncSequence & Sendable>(
    _ frames: Frames, actions: [CheckAction] = [], options: CheckOptions = CheckOptions(),
    mode: SessionMode = .newest, _ outputs: Outputs = []
  ) -> FrameEvents<Frames, CheckEvent> where Frames.Element == Image {
    var options = options
    if !actions.isEmpty { options.actions = actions }
    let stream = FrameStream<CheckEvent>(self, mode) { [options] mode, canceller throws(FaceError) in
      try options.withC { check throws(FaceError) in
        // The longer time that a guided check waits for a face, as its own default has it.
        try self.openSession(
          mode, outputs, DetectOptions(), SessionOptions(maxMissedFrames: 45), canceller
        ) { engine, session, opened in face_check_open(engine, session, &check, &opened) }
      }
    } element: { event, frame, _ in
      switch event {
      case .check(let event): (event, event.isLast)
      case .failed(let error): (CheckEvent(.frameFailed(error), face_check()), false)
      default: nil
      }
    }
    return FrameEvents(frames: frames, stream: stream)
  }

  /// Checks one photo: it is right if no tip applies. Actions, motion and times do not count.
  public func checkPhoto(
    _ photo: Image, options: CheckOptions = CheckOptions(), detection: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> PhotoCheck {
    try await threads.run { canceller throws(FaceError) in
      let events = Monitor<[CheckEvent]>([])
      let listener = Listener { event in
        if case .check(let event) = event { events.withLock { $0.append(event) } }
      }
      try withExtendedLifetime(listener) { () throws(FaceError) in
        var c = Listener.c(.passUnretained(listener))
        try photo.withC { photo throws(FaceError) in
          try detection.withC { detection throws(FaceError) in
            detection.canceller = canceller.c
            try options.withC { options throws(FaceError) in
              try check(face_check_image(self.handle.c, photo, &detection, &options, &c, nil))
            }
          }
        }
      }
      return PhotoCheck(events.withLock { $0 })
    }
  }
}

extension CheckEvent {
  /// What happened.
  public enum Kind: Sendable {
    /// The state changed.
    case status
    /// The tip changed.
    case tip
    /// The person's face, in every frame that shows it.
    case draw(Face)
    /// The face is no longer there: remove what was drawn.
    case clear
    /// The check succeeded. The last event.
    case result(CheckPicture)
    /// The check failed. The last event.
    /// - Parameters:
    ///   - code: "time_out", "wait_time_out", "face_lost", "face_changed", "no_picture", and for a photo "not_right".
    ///   - message: one sentence.
    case failed(code: String, message: String)
    /// A frame was not searched. The check continues. The event's other properties say nothing.
    case frameFailed(FaceError)
  }

  init(_ c: face_check) {
    let kind: Kind =
      switch Int(c.event) {
      case FACE_CHECK_EVENT_TIP: .tip
      case FACE_CHECK_EVENT_DRAW: FaceReader(c.faces, index: 0).map { .draw($0.face) } ?? .clear
      case FACE_CHECK_EVENT_CLEAR: .clear
      case FACE_CHECK_EVENT_RESULT: CheckPicture(c).map { .result($0) } ?? .status
      case FACE_CHECK_EVENT_FAILED:
        .failed(
          code: c.code.map { String(cString: $0) } ?? "", message: c.message.map { String(cString: $0) } ?? ""
        )
      default: .status
      }
    self.init(kind, c)
  }

  var isLast: Bool {
    switch kind {
    case .result, .failed: true
    default: false
    }
  }
}

/// What a guided check is for.
public struct CheckPicture: Sendable {
  /// The face in the picture, with its measurements.
  public let face: Face
  /// The whole upright picture, BGRA; scaled down if a side has more than 4096 pixels.
  public let picture: Image
  /// The square around the face, BGRA. Beyond the edge of the picture its last pixels are repeated.
  public let crop: Image
  /// The part of the picture that the crop shows; may extend beyond it.
  public let cropBox: Box

  init?(_ c: face_check) {
    guard let face = FaceReader(c.faces, index: 0)?.face,
      let picture = c.picture.flatMap({ Image(copying: $0.pointee) }),
      let crop = c.crop.flatMap({ Image(copying: $0.pointee) })
    else { return nil }
    (self.face, self.picture, self.crop, cropBox) = (face, picture, crop, Box(c.crop_box))
  }
}

extension Image {
  /// Copies an image that C lends, whose pixels are in one plane.
  init?(copying c: face_image) {
    guard let bytes = c.planes.0, let format = PixelFormat(rawValue: c.format) else { return nil }
    let layout = PixelLayout(
      format, width: Int(c.width), height: Int(c.height), rowBytes: c.strides.0 == 0 ? [] : [c.strides.0])
    self = .pixels([UInt8](UnsafeRawBufferPointer(start: bytes, count: c.plane_sizes.0)), layout)
  }
}

/// Whether a photo is right.
public struct PhotoCheck: Sendable {
  /// Improvements, the most important first; empty for a photo that is right.
  public let tips: [Tip]
  /// The face, if there is one.
  public let face: Face?
  /// The picture of a photo that is right.
  public let picture: CheckPicture?

  /// Whether no tip applies.
  public var isRight: Bool { picture != nil }

  init(_ events: [CheckEvent]) {
    var (tips, face, picture): ([Tip], Face?, CheckPicture?) = ([], nil, nil)
    for event in events {
      switch event.kind {
      case .tip where event.tip != .done: tips.append(event.tip)
      case .draw(let found): face = found
      case .result(let found): picture = found
      default: break
      }
    }
    (self.tips, self.face, self.picture) = (tips, face, picture)
  }
}
