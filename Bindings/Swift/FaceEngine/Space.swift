package import CFaceEngine

package func withSpace<Result>(
  _ space: Space?, _ body: (UnsafePointer<face_space>?) throws(FaceError) -> Result
) throws(FaceError) -> Result {
  guard let space else { return try body(nil) }
  var c = try space.c()
  return try withUnsafePointer(to: &c) { (c) throws(FaceError) -> Result in try body(c) }
}

extension Space {
  typealias Function<Value> = (
    UnsafePointer<face_space>?, UInt32, UInt32, UnsafeMutablePointer<Value>?
  ) -> face_status

  func convert<Value>(
    _ value: Value, _ size: Size, _ function: Function<Value>
  ) throws(FaceError) -> Value {
    var (space, value) = (try c(), value)
    try check(function(&space, try number(size.width, "width"), try number(size.height, "height"), &value))
    return value
  }
}

extension Point {
  /// The point as a position in a box, 0 to 1 from its top-left corner.
  public func relative(to box: Box) throws(FaceError) -> Point {
    var (point, box) = (c, box.c)
    try check(face_points_to_box(&box, &point, 1))
    return Point(point)
  }
}

extension Landmark {
  /// Without the depth.
  public var point: Point { Point(x: x, y: y) }

  /// The landmark with x and y in another space; z stays.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Landmark {
    let point = try point.converted(to: space, of: size)
    return Landmark(x: point.x, y: point.y, z: z)
  }
}
