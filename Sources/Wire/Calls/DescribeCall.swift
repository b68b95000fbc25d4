import CProtocol
public import FaceCore

/// The messages of `Admin/Describe`.
public enum DescribeCall {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      .describe, call, arena.message(Faceengine__V1__DescribeRequest.self), limit: FrameHeader.maxLength)
  }

  /// Throws `invalidArgument` when the payload is no such message; it has no fields yet.
  public static func request(_ payload: Span<UInt8>) throws(Status) {
    try Decoder.decode(Faceengine__V1__DescribeRequest.self, payload) { _ in }
  }

  /// face_engine.proto as protoc compiled it.
  public static func responseFrame(stream: UInt32) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__DescribeResponse.self)
    response.pointee.file_descriptor_set = face_engine_descriptor_set()
    return try CallFrame.response(stream: stream, response)
  }

  /// The bytes of a `google.protobuf.FileDescriptorSet`.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> [UInt8] {
    try Decoder.decode(Faceengine__V1__DescribeResponse.self, payload) { response in
      let set = response.file_descriptor_set
      return Array(UnsafeBufferPointer(start: set.data, count: set.len))
    }
  }
}
