public import FaceCore
public import Imaging

/// One colour, without alpha.
@frozen public struct RGB: Equatable, Sendable {
  public var red, green, blue: UInt8

  @inlinable public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The largest difference of a component.
  public func distance(to other: RGB) -> Int {
    max(
      abs(Int(red) - Int(other.red)), abs(Int(green) - Int(other.green)), abs(Int(blue) - Int(other.blue)))
  }
}

extension Bitmap {
  /// Returns a copy of the pixels, which are released with the bitmap: that is after its last use, even if its pixels
  /// are used still.
  public func bytes() -> [UInt8] { Array(pixels) }
}

/// A picture as a plain grid of colours: the form of every naive reference.
public struct Picture: Equatable, Sendable {
  public let size: PixelSize
  @usableFromInline var colours: [RGB]

  // Inlined, as every pixel of a picture passes through it: without that a test takes many times as long.
  @inlinable public init(_ width: Int, _ height: Int, _ colour: (_ x: Int, _ y: Int) -> RGB) {
    size = PixelSize(width: width, height: height)
    colours = (0..<width * height).map { colour($0 % width, $0 / width) }
  }

  public init(_ bitmap: borrowing Bitmap) {
    let pixels = bitmap.pixels
    let stride = bitmap.stride
    self.init(bitmap.size.width, bitmap.size.height) { x, y in
      let first = y * stride + 4 * x
      return RGB(pixels[first + 2], pixels[first + 1], pixels[first])
    }
  }

  /// A picture without equal rows or columns.
  public static func noise(_ width: Int, _ height: Int, seed: UInt64) -> Picture {
    var generator = SeededGenerator(seed: seed)
    return Picture(width, height) { _, _ in
      let bits = generator.next()
      return RGB(
        UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
        UInt8(truncatingIfNeeded: bits >> 16))
    }
  }

  @inlinable public subscript(x: Int, y: Int) -> RGB {
    get { colours[y * size.width + x] }
    set { colours[y * size.width + x] = newValue }
  }

  /// The largest difference of a part of any pixel. Both must have the same size.
  public func distance(to other: Picture) -> Int {
    zip(colours, other.colours).map { $0.distance(to: $1) }.max() ?? 0
  }

  /// This upright picture as a camera would store it with `orientation`.
  public func stored(_ orientation: Orientation) -> Picture {
    let stored = orientation.uprightSize(of: size)  // exchanging the axes is its own inverse
    return Picture(stored.width, stored.height) { x, y in
      let upright = orientation.upright(x: x, y: y, stored: stored)
      return self[upright.x, upright.y]
    }
  }
}
