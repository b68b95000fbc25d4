import FaceCore
import NIOCore

extension HTTPCall {
  /// The file of the picture: the body, or the file of a form.
  ///
  /// Throws `invalidArgument`, saying what to send, for other ways in which clients send pictures.
  func picture() throws(Status) -> ByteBuffer {
    let type = header("content-type") ?? ""
    let kind = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    if kind == "multipart/form-data" { return try MultipartForm.file(in: body, contentType: type) }
    guard let other = kind.hasPrefix("multipart/") ? kind : Self.text(body) else { return body }
    throw Status(
      .invalidArgument,
      "the body is \(other); send the bytes of the file as the body, or as multipart/form-data")
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
