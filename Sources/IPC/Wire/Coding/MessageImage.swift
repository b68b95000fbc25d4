import CProtocol
public import FaceCore

/// An image as a message has it: the bytes themselves, or where they lie in a buffer that the connection has registered.
///
/// What it borrows belongs to the caller, or to the message that was decoded.
public struct MessageImage {
  public enum Source {
    /// A whole JPEG, PNG or WebP file.
    case encoded(UnsafeRawBufferPointer)
    case pixels(ImageView)
    /// A whole JPEG, PNG or WebP file in a buffer.
    case sharedEncoded(SharedBytes)
    case sharedPixels(SharedPixels)
  }

  public var source: Source
  /// `nil`: what the file's EXIF says, else upright. A given orientation wins over EXIF.
  public var orientation: Orientation?
  /// As of `ImageInput`.
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

  /// The image of `input`, read from another source.
  public init(_ source: Source, like input: ImageInput) {
    self.init(source, orientation: input.orientation)
    isMirrored = input.isMirrored
    region = input.region
    pixelAspect = input.pixelAspect
  }

  /// This image with another source.
  public func input(_ source: ImageInput.Source) -> ImageInput {
    var input = ImageInput(source, orientation: orientation)
    input.isMirrored = isMirrored
    input.region = region
    input.pixelAspect = pixelAspect
    return input
  }

  /// Runs `body` on the image that `bytes` hold, one `Image` message. It lives until `body` returns.
  ///
  /// Throws `invalidArgument` or `outOfRange`, naming the field that is wrong, and what `body` throws.
  public static func decoding<Result>(
    _ bytes: Span<UInt8>, _ body: (MessageImage) throws(Status) -> Result
  ) throws(Status) -> Result {
    try Decoder.decode(Faceengine__V1__Image.self, bytes) { (image) throws(Status) in
      try body(try ImageCoding.decode(image))
    }
  }
}

/// Part of a buffer.
public struct SharedBytes: Equatable, Sendable, BitwiseCopyable {
  /// The number that the buffer was registered with.
  public var buffer: UInt32
  /// Bytes from the buffer's start.
  public var offset: UInt64
  public var size: UInt64

  public init(buffer: UInt32, offset: UInt64, size: UInt64) {
    self.buffer = buffer
    self.offset = offset
    self.size = size
  }

  /// Throws `invalidArgument` when the part leaves a buffer of `bytes`. No sum here can overflow.
  public func bytes(of bytes: UnsafeRawBufferPointer) throws(Status) -> UnsafeRawBufferPointer {
    guard let offset = Int(exactly: offset), let size = Int(exactly: size), offset <= bytes.count,
      size <= bytes.count - offset
    else {
      throw Status(
        .invalidArgument,
        "buffer \(buffer) has \(bytes.count) bytes; \(size) bytes from offset \(offset) on leave it")
    }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
  }
}

/// Raw pixels in a buffer.
public struct SharedPixels: Equatable, Sendable {
  /// The number that the buffer was registered with.
  public var buffer: UInt32
  /// Bytes from the buffer's start to the first byte of the first row.
  public var offset: UInt64
  /// As the message says; only the format and the colour are known to exist.
  public var layout: PixelLayout

  public init(buffer: UInt32, offset: UInt64, _ layout: PixelLayout) {
    self.buffer = buffer
    self.offset = offset
    self.layout = layout
  }

  /// Throws `invalidArgument` when a row leaves a buffer of `bytes`, `outOfRange` for an image too small or large.
  public func view(of bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    guard let offset = Int(exactly: offset), offset <= bytes.count else {
      throw Status(
        .invalidArgument, "buffer \(buffer) has \(bytes.count) bytes; the pixels' offset \(offset) is beyond")
    }
    return try layout.view(of: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
  }
}
