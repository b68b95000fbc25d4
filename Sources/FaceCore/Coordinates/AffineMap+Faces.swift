extension AffineMap {
  /// Every point moved; its name stays, so left stays the subject's left also where the picture is mirrored.
  public func callAsFunction(_ points: FivePoints) -> FivePoints {
    points.map { self($0) }
  }

  /// K5. Where the axes are scaled differently, the circle of the same area.
  public func callAsFunction(_ circle: Circle) -> Circle {
    Circle(center: self(circle.center), radius: circle.radius * Float(areaScale.squareRoot()))
  }

  /// Depth stays in the unit of x.
  public func callAsFunction(_ point: Point3D) -> Point3D {
    let moved = self(point.point)
    return Point3D(x: moved.x, y: moved.y, z: point.z * Float(xx.magnitude + xy.magnitude))
  }

  /// Box, points and landmarks moved; angles and measurements stay what they are.
  public func callAsFunction(_ face: Face) -> Face {
    var moved = face
    moved.box = self(face.box)
    moved.points = face.points.map { self($0) }
    moved.landmarks?.points = face.landmarks.map { $0.points.map { self($0) } } ?? []
    return moved
  }
}
