/// How the two sides of a stream end it.
public enum StreamEnd {
  /// The client sends no more; answers still come.
  public static func dataFrame(stream: UInt32) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size) { output in
      FrameHeader(
        length: 0, stream: stream, type: FrameType.data.rawValue, flags: [.remoteClosed, .noData]
      ).encode(to: &output)
    }
  }

  /// All was answered, and nothing went wrong with the stream itself; else it is `FailedCall.responseFrame`.
  public static func responseFrame(stream: UInt32) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size) { output in
      FrameHeader(length: 0, stream: stream, type: FrameType.response.rawValue).encode(to: &output)
    }
  }
}
