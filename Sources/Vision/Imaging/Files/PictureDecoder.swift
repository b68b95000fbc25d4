import CPictureDecoders
import FaceCore

import func Glibc.free

/// A decoder of a file whose header was read; it checks its call's token between rows and pieces of the file.
final class PictureDecoder {
  let size: PixelSize
  private let name: String
  // The library keeps the address.
  private let raw: UnsafeMutablePointer<picture_decoder>
  private let cancellation: CancellationCheck?

  /// Throws `invalidArgument` for a damaged file, `resourceExhausted` without memory, and the token's error.
  /// - Parameters:
  ///   - file: borrowed until this is released.
  ///   - name: the name of the kind, for messages.
  convenience init(
    _ file: UnsafeRawBufferPointer, _ kind: picture_kind, _ name: String, _ token: CancellationToken?
  ) throws(Status) {
    try self.init(name, token) { raw, caller in
      picture_open(raw, kind, file.baseAddress, file.count, caller)
    }
  }

  /// Reads what a file says about its pixels. Throws as `init`.
  static func metadata(
    of file: UnsafeRawBufferPointer, _ kind: picture_kind, _ name: String, _ token: CancellationToken?
  ) throws(Status) -> PictureMetadata {
    var description = picture_description()
    defer { free(description.profile) }
    _ = try PictureDecoder(name, token) { raw, caller in
      picture_describe(raw, kind, file.baseAddress, file.count, caller, &description)
    }
    return PictureMetadata(
      profile: UnsafeRawBufferPointer(start: description.profile, count: description.profile_size),
      PictureMetadata.Resolution(x: description.x_per_metre, y: description.y_per_metre))
  }

  private init(
    _ name: String, _ token: CancellationToken?,
    _ open: (UnsafeMutablePointer<picture_decoder>, picture_caller) -> picture_status
  ) throws(Status) {
    self.name = name
    cancellation = token.map(CancellationCheck.init)
    raw = .allocate(capacity: 1)
    let status = open(raw, picture_caller(cancellation))
    size = PixelSize(width: Int(raw.pointee.width), height: Int(raw.pointee.height))
    try check(status)
  }

  deinit {
    picture_close(raw)
    raw.deallocate()
  }

  /// Whether colours are decoded as the light that cyan, magenta, yellow and black inks leave.
  var isForPrint: Bool { raw.pointee.is_for_print }

  /// The bytes of a JPEG's coefficients if all of them are kept while it is decoded; else 0.
  var keptBytes: Int { raw.pointee.kept_bytes }

  /// Fills `bitmap`, whose size must be that given by `form`. Can be called once.
  func decode(into bitmap: borrowing Bitmap, _ form: picture_form) throws(Status) {
    try check(picture_decode(raw, form, bitmap.pixels.baseAddress, bitmap.stride))
  }

  private func check(_ status: picture_status) throws(Status) {
    switch status {
    case PICTURE_DONE: return
    case PICTURE_STOPPED: throw cancellation?.failure ?? .stoppedByItself
    case PICTURE_NO_MEMORY: throw .noMemory(toDecode: name)
    default:
      let reason = withUnsafeBytes(of: raw.pointee.reason) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw status == PICTURE_UNSUPPORTED ? .unsupported(reason) : .damaged(name, reason)
    }
  }
}

extension picture_caller {
  /// Asks `check` between rows and pieces of the file, which must outlive this; `nil`: never.
  init(_ check: CancellationCheck?) {
    guard let check else {
      self.init(keep_going: nil, context: nil)
      return
    }
    self.init(keep_going: { CancellationCheck.mayContinue($0) }, context: check.context)
  }
}

extension Status {
  static let stoppedByItself = Status(.internal, "a decoder stopped by itself; please report this image")

  static func damaged(_ name: String, _ reason: String) -> Status {
    Status(
      .invalidArgument,
      "\(name) is damaged or cut short (\(reason)); send the whole file, or save the picture again")
  }

  /// - Parameters:
  ///   - kind: with its article.
  ///   - advice: what to do, in the imperative.
  static func unsupported(_ kind: String, _ advice: String = "convert it to an ordinary JPEG or PNG")
    -> Status
  {
    Status(.invalidArgument, "image is \(kind), which is not supported; \(advice)")
  }

  static func noMemory(toDecode name: String) -> Status {
    Status(
      .resourceExhausted,
      "no memory to decode the \(name); free some memory and try again, or send a smaller one")
  }
}
