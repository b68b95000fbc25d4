public import FaceCore
import Posix
import Wire

extension Client: StreamingDetector {
  /// Opens a `Detector/Watch`, or for a guided check a `Detector/Check`, on a connection of its own, with a thread that reads it and calls `deliver`.
  ///
  /// When that connection is lost, the frames that have no event yet fail with `unavailable`, and the stream is opened again
  /// by itself: at once, then after pauses of 50 ms to 2 s, until it is closed. Until then `submit` throws the reason. The
  /// faces in view at that moment are said to have left with the next event; ids go on after those used before.
  ///
  /// In mode `newest` one frame is with the engine and one waits here, its image in shared memory already; a frame for which
  /// there is no memory takes that of the one that waits, and is dropped where none does. It fails with `resourceExhausted`
  /// when the engine has no frame of the stream, so that there is no memory of the stream to wait for. In mode `every`
  /// as many are with the engine as it gives credit for; `submit` waits for that no longer than `ClientOptions.timeout`.
  /// `close` waits as long for the frames that are with the engine, and is called outside of `deliver`.
  ///
  /// A stream belongs to the process that opened it: in a fork `submit` throws `failedPrecondition`, and `close` does
  /// nothing.
  ///
  /// Throws `invalidArgument` for wrong options, and what the engine says of them.
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try options.detection.validate()
    try options.tracking?.validate()
    try options.check?.validate()
    guard options.frameTimeout >= 0 else {
      throw Status(.invalidArgument, "the frame timeout is \(options.frameTimeout); give 0 for none, or more")
    }
    let stream = try RemoteStream(path, self.options, options, shares, deliver)
    try stream.start()
    return stream
  }
}
