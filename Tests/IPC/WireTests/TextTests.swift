import FaceCore
import TestSupport
import Testing
import Wire

/// Texts of messages, which protobuf-c gives as C strings.
@Suite struct TextTests {
  /// "centerface\0xyz" is another name than "centerface", and no model's.
  @Test(arguments: ["\0", "centerface\0xyz", "\0centerface", "centerface\0"])
  func textWithANULIsRefusedWhereverItIs(text: String) {
    let name = Array(text.utf8)
    let pixels = field(2, [8, 6, 16, 1, 24, 1] + field(5, [0]))
    let options = field(13, name)
    let request = field(1, pixels) + field(2, options)
    let features = field(4, "ping".utf8) + field(4, name)
    let calls: [(String, () throws -> Void)] = [
      ("options.model", { try DetectCall.withRequest(request.span) { _, _ in } }),
      ("options.model", { _ = try DetectBatchCall.request(request.span, limit: 8) }),
      ("name", { _ = try ReloadModelCall.request(field(1, name).span) }),
      ("service", { _ = try HealthCall.request(field(1, name).span) }),
      ("client", { _ = try HelloCall.request(field(3, name).span) }),
      ("features", { _ = try HelloCall.request(features.span) }),
    ]
    for (path, call) in calls {
      let status = expectFailure(.invalidArgument, comment: path) { try call() }
      #expect(status?.message == "\(path) has a NUL byte in it; send text without one")
    }
  }

  /// Bytes are no text: pixels are full of zeros.
  @Test func bytesMayHaveNULs() throws {
    let pixels = field(2, [8, 6, 16, 16, 24, 1] + field(5, [UInt8](repeating: 0, count: 16)))
    let status = failure { () throws(Status) in
      try DetectCall.withRequest(field(1, pixels).span) { _, _ in }
    }
    #expect(status?.message.contains("NUL") != true)
  }
}
