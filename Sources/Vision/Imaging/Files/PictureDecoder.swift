import CPictureDecoders
import FaceCore

/// A decoder of a file whose header was read; it checks its call's token between rows and pieces of the file.
final class PictureDecoder {
  let size: PixelSize
  private let name: String
  // The library keeps the address.
  private let raw: UnsafeMutablePointer<picture_decoder>
  private let caller: DecodingCaller

  /// Throws `invalidArgument` for a damaged file, `resourceExhausted` without memory, and the token's error.
  /// - Parameters:
  ///   - file: borrowed until this is released.
  ///   - name: the name of the kind, for messages.
  init(
    _ file: UnsafeRawBufferPointer, _ kind: picture_kind, _ name: String, _ token: CancellationToken?
  ) throws(Status) {
    self.name = name
    caller = DecodingCaller(token)
    raw = .allocate(capacity: 1)
    let status = picture_open(raw, kind, file.baseAddress, file.count, caller.raw)
    size = PixelSize(width: Int(raw.pointee.width), height: Int(raw.pointee.height))
    try check(status)
  }

  deinit {
    picture_close(raw)
    raw.deallocate()
  }

  /// Whether colours are decoded as the light that cyan, magenta, yellow and black inks leave.
  var isForPrint: Bool { raw.pointee.is_for_print }

  /// Whether all coefficients of a JPEG are kept while it is decoded.
  var hasSeveralScans: Bool { raw.pointee.has_several_scans }

  /// Fills `bitmap`, whose size must be that given by `form`. Can be called once.
  func decode(into bitmap: borrowing Bitmap, _ form: picture_form) throws(Status) {
    try check(picture_decode(raw, form, bitmap.pixels.baseAddress, bitmap.stride))
  }

  private func check(_ status: picture_status) throws(Status) {
    switch status {
    case PICTURE_DONE: return
    case PICTURE_STOPPED: throw caller.failure
    case PICTURE_NO_MEMORY: throw .noMemory(toDecode: name)
    default:
      let reason = withUnsafeBytes(of: raw.pointee.reason) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw .damaged(name, reason)
    }
  }
}

/// The call for which a library's decoder works; the library asks it whether to continue.
final class DecodingCaller {
  private let token: CancellationToken?
  private var ended: Status?

  init(_ token: CancellationToken?) { self.token = token }

  /// The reason why the library was told to stop.
  var failure: Status { ended ?? Status(.internal, "a decoder stopped by itself; please report this image") }

  /// The structure for the library, valid while this lives.
  var raw: picture_caller {
    guard token != nil else { return picture_caller(keep_going: nil, context: nil) }
    return picture_caller(
      keep_going: { context in
        guard let context else { return true }
        return Unmanaged<DecodingCaller>.fromOpaque(context).takeUnretainedValue().goesOn()
      }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  private func goesOn() -> Bool {
    do throws(Status) {
      try token?.check()
      return true
    } catch {
      ended = error
      return false
    }
  }
}

extension Status {
  static func damaged(_ name: String, _ reason: String) -> Status {
    Status(
      .invalidArgument,
      "\(name) is damaged or cut short (\(reason)); send the whole file, or save the picture anew")
  }

  static func noMemory(toDecode name: String) -> Status {
    Status(
      .resourceExhausted,
      "no memory to decode the \(name); try again when some is free, or send a smaller one")
  }
}
