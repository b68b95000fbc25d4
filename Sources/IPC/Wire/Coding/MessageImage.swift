import CProtocol
public import FaceCore

/// An image in a message: its bytes, or a reference to a buffer that the connection has registered.
///
/// Borrowed memory belongs to the caller, or to the decoded message.
public struct MessageImage {
  public enum Source {
    /// A complete JPEG, PNG or WebP file.
    case encoded(UnsafeRawBufferPointer)
    case pixels(ImageView)
    /// A complete JPEG, PNG or WebP file in a buffer.
    case sharedEncoded(SharedBytes)
    case sharedPixels(SharedPixels)
  }

  public var source: Source
  /// The orientation, which overrides EXIF; `nil` for the file's EXIF orientation, or upright.
  public var orientation: Orientation?
  /// Whether the picture is mirrored, as in `ImageInput`.
  public var isMirrored = false
  public var region: Box?
  public var pixelAspect: Float = 1

  public init(_ source: Source, orientation: Orientation? = nil) {
    self.source = source
    self.orientation = orientation
  }

  public init(_ input: ImageInput) {
    let source: Source =
      switch input.source {
      case .encoded(let bytes): .encoded(bytes)
      case .pixels(let view): .pixels(view)
      }
    self.init(source, like: input)
  }

  public init(_ source: Source, like input: ImageInput) {
    self.init(source, orientation: input.orientation)
    isMirrored = input.isMirrored
    region = input.region
    pixelAspect = input.pixelAspect
  }

  public func input(_ source: ImageInput.Source) -> ImageInput {
    var input = ImageInput(source, orientation: orientation)
    input.isMirrored = isMirrored
    input.region = region
    input.pixelAspect = pixelAspect
    return input
  }

  /// Calls `body` with the image encoded in `bytes`, one `Image` message. The image is valid until `body`
  /// returns.
  ///
  /// Throws `invalidArgument` or `outOfRange`, naming the wrong field, and errors of `body`.
  public static func decoding<Result>(
    _ bytes: Span<UInt8>, _ body: (MessageImage) throws(Status) -> Result
  ) throws(Status) -> Result {
    try Decoder.decode(Faceengine__V1__Image.self, bytes, request: "image") { (image) throws(Status) in
      try body(try MessageImage(decoding: image))
    }
  }
}

extension MessageImage {
  /// The numbers of the buffers that an encoded `Image` names, without decoding the rest. Of bytes that are no
  /// such message, those before the fault.
  public static func buffers(namedBy image: Span<UInt8>) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    forEachPart(of: image, in: 3...4) { shared in
      var scanner = ProtobufScanner(0..<shared.count, of: "Image")
      while let field = try? scanner.next(shared) {
        guard field.number == 1, case .varint(let number) = field.value else { continue }
        numbers.insert(UInt32(truncatingIfNeeded: number))
      }
    }
    return numbers
  }

  /// The same for the payload of a call: `DetectRequest` and `DetectBatchRequest` have their images in field 1,
  /// and other calls name no buffer.
  public static func buffers(namedByRequest payload: Span<UInt8>) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    forEachPart(of: payload, in: 1...1) { numbers.formUnion(buffers(namedBy: $0)) }
    return numbers
  }

  private static func forEachPart(
    of message: Span<UInt8>, in fields: ClosedRange<Int>, _ body: (Span<UInt8>) -> Void
  ) {
    var scanner = ProtobufScanner(0..<message.count, of: "message")
    while let field = try? scanner.next(message) {
      guard fields.contains(field.number), case .bytes(let part) = field.value else { continue }
      body(message.extracting(part))
    }
  }
}

/// Part of a buffer.
public struct SharedBytes: Equatable, Sendable, BitwiseCopyable {
  /// The number under which the buffer was registered.
  public var buffer: UInt32
  /// The offset from the buffer's start in bytes.
  public var offset: UInt64
  public var size: UInt64

  public init(buffer: UInt32, offset: UInt64, size: UInt64) {
    self.buffer = buffer
    self.offset = offset
    self.size = size
  }

  /// The part of a buffer with these `bytes`. Throws `invalidArgument` if it exceeds the buffer. No sum here
  /// can overflow.
  public func bytes(of bytes: UnsafeRawBufferPointer) throws(Status) -> UnsafeRawBufferPointer {
    guard let offset = Int(exactly: offset), let size = Int(exactly: size), offset <= bytes.count,
      size <= bytes.count - offset
    else {
      throw Status(
        .invalidArgument,
        "buffer \(buffer) has \(bytes.count) bytes; \(size) bytes from offset \(offset) exceed it")
    }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
  }
}

/// Raw pixels in a buffer.
public struct SharedPixels: Equatable, Sendable {
  /// The number under which the buffer was registered.
  public var buffer: UInt32
  /// The offset in bytes from the buffer's start to the first byte of the first row.
  public var offset: UInt64
  /// The layout in the message; only its format and colour have been checked.
  public var layout: PixelLayout

  public init(buffer: UInt32, offset: UInt64, _ layout: PixelLayout) {
    self.buffer = buffer
    self.offset = offset
    self.layout = layout
  }

  /// The pixels in a buffer with these `bytes`. Throws `invalidArgument` if a row exceeds the buffer,
  /// `outOfRange` for an image that is too small or large.
  public func view(of bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    guard let offset = Int(exactly: offset), offset <= bytes.count else {
      throw Status(
        .invalidArgument, "buffer \(buffer) has \(bytes.count) bytes; the pixels' offset \(offset) is beyond its end")
    }
    return try layout.view(of: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
  }
}
