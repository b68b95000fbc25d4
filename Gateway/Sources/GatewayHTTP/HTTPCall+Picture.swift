import EngineLink
import FaceCore
import NIOCore
import NIOHTTP1

extension HTTPCall {
  /// The file of the picture: the body, or the file of a form.
  ///
  /// Throws `invalidArgument`, saying what to send, for other ways in which clients send pictures.
  func picture() throws(Status) -> SentPicture {
    let kind = Self.kind(head.headers)
    if Self.isForm(head.headers) {
      return .file(try MultipartForm.file(in: body, contentType: header("content-type") ?? ""))
    }
    let start = upload.map { ByteBuffer(bytes: $0.start) } ?? body
    guard let other = kind.hasPrefix("multipart/") ? kind : Self.text(start) else {
      return upload.map { .upload($0) } ?? .file(body, rest: rest)
    }
    throw Status(
      .invalidArgument,
      "the body is \(other); send the bytes of the file as the body, or as multipart/form-data")
  }

  /// Whether the body is a form, which has the picture among its parts.
  static func isForm(_ headers: HTTPHeaders) -> Bool { kind(headers) == "multipart/form-data" }

  private static func kind(_ headers: HTTPHeaders) -> String {
    (headers.first(name: "content-type") ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
  }

  /// What a body is that begins like a picture in text; `nil` for anything else.
  private static func text(_ body: ByteBuffer) -> String? {
    let start = body.readableBytesView.prefix(64).drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    switch start.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): return "JSON"
    default: break
    }
    if start.starts(with: "data:".utf8) { return "a data URL" }
    // The first bytes of JPEG, PNG, WebP, GIF.
    let coded = ["/9j/", "iVBORw0KGgo", "UklGR", "R0lGOD"].contains { start.starts(with: $0.utf8) }
    return coded ? "base64" : nil
  }
}
