public import CFaceEngine
public import FaceCore

extension face_box {
  public init(_ box: Box) {
    self.init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

extension Box {
  public init(_ box: face_box) {
    self.init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

extension face_point {
  public init(_ point: Point) {
    self.init(x: point.x, y: point.y)
  }
}

extension Point {
  public init(_ point: face_point) {
    self.init(x: point.x, y: point.y)
  }
}
