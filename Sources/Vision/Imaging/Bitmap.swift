public import FaceCore

/// Owned pixels, four bytes each in the order blue, green, red, alpha, rows without a gap.
///
/// The only format between decoding and the network. New pixels are not initialised.
public struct Bitmap: ~Copyable {
  public let size: PixelSize
  public let pixels: UnsafeMutableBufferPointer<UInt8>
  private let memory: HeapMemory?
  /// Owns the pixels where `memory` does not.
  private let owner: (any PixelMemory)?

  public static let bytesPerPixel = 4

  /// Throws `resourceExhausted` when there is no memory for it.
  /// - Parameter size: both sides at least 1 and at most `ImageLimits.maxSide`.
  public init(size: PixelSize) throws(Status) {
    self.size = size
    let made = try HeapMemory(byteCount: size.width * size.height * Bitmap.bytesPerPixel)
    pixels = made.bytes.bindMemory(to: UInt8.self)
    memory = consume made
    owner = nil
  }

  /// Throws `invalidArgument` if `owner` has less room.
  /// - Parameter owner: gets the pixels, at its beginning.
  init(size: PixelSize, in owner: any PixelMemory) throws(Status) {
    let byteCount = size.width * size.height * Bitmap.bytesPerPixel
    guard owner.bytes.count >= byteCount else {
      throw Status(
        .invalidArgument,
        "the file has \(size.width)×\(size.height) pixels, more than its header states; save it again"
      )
    }
    self.size = size
    self.owner = owner
    memory = nil
    pixels = UnsafeMutableRawBufferPointer(rebasing: owner.bytes[..<byteCount]).bindMemory(to: UInt8.self)
  }

  public var stride: Int { size.width * Bitmap.bytesPerPixel }

  /// Copies all of `other` to `x`, `y`, its top-left corner; it must fit.
  package func draw(_ other: BorrowedPixels, x: Int, y: Int) {
    precondition(
      x >= 0 && y >= 0 && x + other.size.width <= size.width && y + other.size.height <= size.height)
    guard let source = other.bytes.baseAddress, let target = pixels.baseAddress else { return }
    for row in 0..<other.size.height {
      UnsafeMutableRawPointer(target + (y + row) * stride + x * Bitmap.bytesPerPixel)
        .copyMemory(from: source + row * other.stride, byteCount: other.size.width * Bitmap.bytesPerPixel)
    }
  }

  /// The pixels, valid for as long as this bitmap lives.
  package var borrowed: BorrowedPixels {
    BorrowedPixels(size: size, bytes: UnsafeRawBufferPointer(pixels), stride: stride)
  }

  /// The pixels as a borrowed image, valid for as long as this bitmap lives.
  public var view: ImageView {
    get throws(Status) {
      try ImageView(
        format: .bgra, width: size.width, height: size.height, stride: stride,
        bytes: UnsafeRawBufferPointer(pixels))
    }
  }
}

/// Makes the bitmap that a decoder fills.
typealias BitmapMaker = (PixelSize) throws(Status) -> Bitmap

/// Borrowed pixels in the format of a bitmap, of any size, unlike an `ImageView`.
public struct BorrowedPixels {
  public let size: PixelSize
  public let bytes: UnsafeRawBufferPointer
  /// Bytes from a row to the next one.
  public let stride: Int
}

extension ImageView {
  /// Throws `outOfRange` unless the size is within `ImageLimits`.
  public init(_ pixels: BorrowedPixels) throws(Status) {
    try self.init(
      format: .bgra, width: pixels.size.width, height: pixels.size.height, stride: pixels.stride,
      bytes: pixels.bytes)
  }
}
