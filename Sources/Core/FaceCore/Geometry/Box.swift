/// A position in pixels of the upright image: origin at the top-left corner, x to the right, y down.
public struct Point: Equatable, Sendable, BitwiseCopyable {
  public var x: Float
  public var y: Float

  public init(x: Float, y: Float) {
    self.x = x
    self.y = y
  }

  package func distance(to other: Point) -> Float {
    let (dx, dy) = (x - other.x, y - other.y)
    return (dx * dx + dy * dy).squareRoot()
  }

  package func middle(to other: Point) -> Point { Point(x: (x + other.x) / 2, y: (y + other.y) / 2) }
}

/// A width and height in whole pixels.
public struct PixelSize: Equatable, Sendable, BitwiseCopyable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var longSide: Int { max(width, height) }
  public var shortSide: Int { min(width, height) }
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// Returns both sides times `factor`, as whole pixels of at least 1.
  package func scaled(by factor: Float) -> PixelSize {
    PixelSize(
      width: max(1, Int((Float(width) * factor).rounded())),
      height: max(1, Int((Float(height) * factor).rounded())))
  }
}

/// An axis-aligned rectangle in pixels of the upright image, origin at the top-left corner.
///
/// The box of a face at the edge of the picture extends beyond it; `clamped(to:)` gives the part inside.
public struct Box: Equatable, Sendable, BitwiseCopyable {
  public var x: Float
  public var y: Float
  public var width: Float
  public var height: Float

  public init(x: Float, y: Float, width: Float, height: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package init(center: Point, width: Float, height: Float) {
    self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
  }

  public var maxX: Float { x + width }
  public var maxY: Float { y + height }
  public var area: Float { width * height }
  public var meanSide: Float { area.squareRoot() }
  public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// Whether all numbers are finite and the area is not 0.
  public var isValid: Bool {
    x.isFinite && y.isFinite && maxX.isFinite && maxY.isFinite && width > 0 && height > 0
  }

  /// Returns whether a point lies inside or on the edge.
  public func holds(_ point: Point) -> Bool {
    point.x >= x && point.x <= maxX && point.y >= y && point.y <= maxY
  }

  /// Returns the part of the box inside an image of `size`; an empty box at the nearest edge if there is
  /// none.
  public func clamped(to size: PixelSize) -> Box {
    let left = min(max(x, 0), Float(size.width))
    let top = min(max(y, 0), Float(size.height))
    let right = min(max(maxX, left), Float(size.width))
    let bottom = min(max(maxY, top), Float(size.height))
    // The difference of two rounded edges is not always the size.
    return Box(
      x: left, y: top, width: left == x && right == maxX ? width : right - left,
      height: top == y && bottom == maxY ? height : bottom - top)
  }

  /// Returns the overlap as intersection over union, 0…1.
  public func intersectionOverUnion(_ other: Box) -> Float {
    let overlapWidth = min(maxX, other.maxX) - max(x, other.x)
    let overlapHeight = min(maxY, other.maxY) - max(y, other.y)
    guard overlapWidth > 0, overlapHeight > 0 else { return 0 }
    let intersection = overlapWidth * overlapHeight
    return intersection / (area + other.area - intersection)
  }
}

/// A circle, such as the mask that a face should fill.
public struct Circle: Equatable, Sendable, BitwiseCopyable {
  public var center: Point
  public var radius: Float

  public init(center: Point, radius: Float) {
    self.center = center
    self.radius = radius
  }
}
