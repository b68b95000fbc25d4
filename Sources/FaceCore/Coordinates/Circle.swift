/// A circle, such as the mask a face is to be held into.
public struct Circle: Equatable, Sendable, BitwiseCopyable {
  public var center: Point
  public var radius: Float

  public init(center: Point, radius: Float) {
    self.center = center
    self.radius = radius
  }
}
