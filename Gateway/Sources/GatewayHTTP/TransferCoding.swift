import FaceCore
import NIOHTTP1

extension HTTPRequestHead {
  /// Why it is unknown where the body ends or what it is; `nil` if that is known. Source: RFC 9112, section 6.1.
  var wrongCoding: HTTPFailure? {
    let codings = headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
    if codings.isEmpty || codings == ["chunked"] && version == .http1_1 { return nil }
    let isUnknown = codings.contains { $0 != "chunked" }
    let named = codings.joined(separator: ", ").prefix(64)
    return HTTPFailure(
      status: isUnknown ? .notImplemented : .badRequest,
      failure: Status(
        isUnknown ? .unimplemented : .invalidArgument,
        "the body has transfer-encoding: \(named); send chunked (once, in HTTP/1.1) or content-length; for gzip, use content-encoding"
      ))
  }
}
