import FaceCore
import Testing
import Wire

/// Texts of messages, which protobuf-c gives as C strings.
@Suite struct TextTests {
  /// A field of a message: its number and its bytes.
  private func field(_ number: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
    [number << 3 | 2, UInt8(bytes.count)] + bytes
  }

  private func refusal(_ decode: () throws(Status) -> Void) -> Status? {
    do throws(Status) { try decode() } catch { return error }
    return nil
  }

  /// "centerface\0xyz" is another name than "centerface", and no model's.
  @Test(arguments: ["\0", "centerface\0xyz", "\0centerface", "centerface\0"])
  func textWithANULIsRefusedWhereverItIs(text: String) {
    let name = Array(text.utf8)
    let pixels = field(2, [8, 6, 16, 1, 24, 1] + field(5, [0]))
    let options = field(13, name)
    let refusals: [(String, Status?)] = [
      (
        "options.model",
        refusal { () throws(Status) in
          try DetectCall.withRequest((field(1, pixels) + field(2, options)).span) { _, _ in }
        }
      ),
      (
        "model",
        refusal { () throws(Status) in
          _ = try DetectBatchCall.request((field(1, pixels) + field(2, options)).span, limit: 8)
        }
      ),
      ("name", refusal { () throws(Status) in _ = try ReloadModelCall.request(field(1, name).span) }),
      ("service", refusal { () throws(Status) in _ = try HealthCall.request(field(1, name).span) }),
      ("client", refusal { () throws(Status) in _ = try HelloCall.request(field(3, name).span) }),
      (
        "features",
        refusal { () throws(Status) in
          _ = try HelloCall.request((field(4, "ping".utf8) + field(4, name)).span)
        }
      ),
    ]
    for (path, status) in refusals {
      #expect(status?.code == .invalidArgument, "\(path)")
      #expect(status?.message == "\(path) has a NUL byte in it; send text without one")
    }
  }

  /// Bytes are no text: pixels are full of zeros.
  @Test func bytesMayHaveNULs() throws {
    let pixels = field(2, [8, 6, 16, 16, 24, 1] + field(5, [UInt8](repeating: 0, count: 16)))
    let status = refusal { () throws(Status) in
      try DetectCall.withRequest(field(1, pixels).span) { _, _ in }
    }
    #expect(status?.message.contains("NUL") != true)
  }
}
