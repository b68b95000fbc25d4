/// A rectangle of whole pixels.
public struct PixelRect: Equatable, Sendable, BitwiseCopyable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The whole of an image.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// The pixels that `box` touches, within an image of `size`; if it touches none, the nearest ones.
  /// - Parameter box: any numbers; a bound that is NaN becomes that of the image.
  public init(around box: Box, in size: PixelSize) {
    let (left, right) = PixelRect.span(from: box.x, to: box.maxX, side: size.width)
    let (top, bottom) = PixelRect.span(from: box.y, to: box.maxY, side: size.height)
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }

  private static func span(from low: Float, to high: Float, side: Int) -> (Int, Int) {
    // Clamped before it becomes a whole number, which would trap beyond the largest one.
    let first = low.isNaN ? 0 : Int(min(max(low.rounded(.down), 0), Float(side - 1)))
    let end = high.isNaN ? side : Int(min(max(high.rounded(.up), 0), Float(side)))
    return (first, max(end, first + 1))
  }

  public var size: PixelSize { PixelSize(width: width, height: height) }
  public var maxX: Int { x + width }
  public var maxY: Int { y + height }

  public var box: Box {
    Box(x: Float(x), y: Float(y), width: Float(width), height: Float(height))
  }
}
