internal import CFaceEngine

extension FaceEngine {
  /// Follows faces through the frames of a video.
  ///
  /// - Parameters:
  ///   - frames: a camera's, or those of a recording.
  ///   - mode: what happens to frames that come while others are searched, or wait for the loop's body. `newest` drops
  ///     all but the newest one; `every` drops none, and takes the next frame from the source when there is room.
  ///   - outputs: what to measure of each face.
  ///   - options: what to look for. A timeout is the time from a frame's submission within which its search must begin.
  ///   - session: how faces are followed.
  /// - Returns: the frames with their faces, in their order. The sequence can be iterated once. It fails if the session
  ///   cannot be opened, if the task is cancelled, or if `frames` fail. A frame that fails does not end it, nor an
  ///   engine process that stops: the next frames have an error until it runs again.
  public func follow<Frames: AsyncSequence & Sendable>(
    _ frames: Frames, mode: SessionMode = .newest, _ outputs: Outputs = [],
    options: DetectOptions = DetectOptions(), session: SessionOptions = SessionOptions()
  ) -> FrameEvents<Frames, FollowedFrame> where Frames.Element == Image {
    let stream = FrameStream<FollowedFrame>(self, mode) { mode, canceller throws(FaceError) in
      try self.openSession(mode, outputs, options, session, canceller) { engine, options, session in
        face_session_open(engine, options, &session)
      }
    } element: { event, frame, gone in
      switch event {
      case .faces(let faces): (FollowedFrame(frame, faces, gone, nil), false)
      case .failed(let error): (FollowedFrame(frame, Faces(), gone, error), false)
      default: nil
      }
    }
    return FrameEvents(frames: frames, stream: stream)
  }

  /// - Parameter open: the function of C that opens the session.
  func openSession(
    _ mode: SessionMode, _ outputs: Outputs, _ options: DetectOptions, _ session: SessionOptions,
    _ canceller: Canceller,
    _ open: (OpaquePointer?, UnsafePointer<face_session_options>, inout OpaquePointer?) -> face_status
  ) throws(FaceError) -> Session {
    try options.withC { options throws(FaceError) in
      options.outputs = outputs.rawValue
      options.canceller = canceller.c
      return try withUnsafePointer(to: options) { options throws(FaceError) in
        try session.withC { session throws(FaceError) in
          session.mode = mode.rawValue
          session.options = options
          return try Session(canceller) { opened throws(FaceError) in
            try check(open(handle.c, &session, &opened))
          }
        }
      }
    }
  }
}

/// A frame of a video with its faces.
public struct FollowedFrame: Sendable {
  /// The frame, as it came from the source.
  public let image: Image
  /// Its place among the frames of the source, from 1; those that were dropped count.
  public let number: Int
  /// How many frames before it were dropped.
  public let dropped: Int
  /// Its faces, with ids; none if it failed.
  public let faces: Faces
  /// Ids of faces that have left, as known since the frame before.
  public let left: [UInt64]
  /// The best pictures of these faces, with ``SessionOptions/bestSize``.
  public let best: [BestPicture]
  /// Why the frame has no faces, if it failed.
  public let error: FaceError?

  init(_ frame: FrameStream<FollowedFrame>.Frame, _ faces: Faces, _ gone: GoneFaces, _ error: FaceError?) {
    (image, number, dropped) = (frame.image, frame.number, frame.dropped)
    (self.faces, left, best, self.error) = (faces, gone.ids, gone.pictures, error)
  }
}

/// The best picture of a followed face.
public struct BestPicture: Sendable {
  public let faceID: UInt64
  /// Whether the face has left.
  public let hasLeft: Bool
  /// When its frame was taken, as ``Image/timestamp`` has it.
  public let timestamp: Duration
  /// 0 to 1: the quality times 0.5 plus the openness of the eye that is less open, up to 0.5.
  public let score: Float
  /// The face as it was in that frame; its quality and eyes say why this picture is the best.
  public let face: Face
  /// The square around the face, BGRA. Beyond the edge of the frame its last pixels are repeated.
  public let crop: Image
  /// The part of the upright frame that the crop shows; may extend beyond it.
  public let cropBox: Box

  init?(_ frame: face_frame, _ c: face_best) {
    guard let face = FaceReader(c.faces, index: 0)?.face, let crop = c.crop.flatMap({ Image(copying: $0.pointee) })
    else { return nil }
    (faceID, hasLeft, score, cropBox) = (c.face_id, c.left != 0, c.score, Box(c.crop_box))
    (self.face, self.crop, timestamp) = (face, crop, .nanoseconds(Int64(clamping: frame.timestamp_ns)))
  }
}

/// Faces that have left since the frame before.
struct GoneFaces: Sendable {
  var ids: [UInt64] = []
  /// Their best pictures.
  var pictures: [BestPicture] = []
}

/// What the engine finds in frames. The sequence can be iterated once.
public struct FrameEvents<Frames: AsyncSequence & Sendable, Element: Sendable>: AsyncSequence, Sendable
where Frames.Element == Image {
  public typealias Failure = FaceError

  let frames: Frames
  let stream: FrameStream<Element>

  /// Takes what is found. The frames are taken until the iterator ends.
  public func makeAsyncIterator() -> StreamIterator<Frames, Element> { StreamIterator(frames, stream) }
}

extension FrameEvents where Element == FollowedFrame {
  /// Follows a face that you know already, from the next frame on: see ``SessionOptions/followedOnly``.
  /// - Parameter box: the face, in pixels of the next frame's upright image.
  /// - Returns: the id that the face has from then on.
  public func follow(_ box: Box) throws(FaceError) -> UInt64 { try stream.follow(box) }

  /// The best picture so far of each face in view, with ``SessionOptions/bestSize``. After the last frame: those that
  /// no ``FollowedFrame/best`` has.
  public func bestPictures() throws(FaceError) -> [BestPicture] { try stream.bestPictures() }
}

/// The iterator of ``FrameEvents``, with which the session ends.
public final class StreamIterator<Frames: AsyncSequence & Sendable, Element: Sendable>: AsyncIteratorProtocol
where Frames.Element == Image {
  public typealias Failure = FaceError

  private var frames: Frames?
  private let stream: FrameStream<Element>
  private var isBegun = false

  init(_ frames: Frames, _ stream: FrameStream<Element>) {
    (self.frames, self.stream) = (frames, stream)
  }

  /// Ends the stream when the loop is left.
  deinit { if isBegun { stream.end(.failure(.cancelled)) } }

  /// - Returns: nil after the last one.
  public func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(FaceError) -> Element? {
    if let frames = frames.take() {
      try stream.begin()
      isBegun = true
      try await stream.start(frames)
    }
    return try await stream.next()
  }
}
