import FaceCore

/// Draws marks that show the rotation of the head.
extension Canvas {
  /// Draws the box turned by the roll about its middle and foreshortened by the yaw, nearer parts larger.
  func drawTurnedBox(_ box: Box, _ pose: Pose, _ style: FaceStyle) {
    guard box.isValid, Canvas.isDrawable(pose.yaw, pose.roll) else { return }
    let rotation = HeadRotation(Pose(yaw: pose.yaw, pitch: 0, roll: pose.roll))
    // An upright box around a head that lies on its side is as wide as the head is high.
    let lying = HeadRotation(Pose(yaw: 0, pitch: 0, roll: pose.roll)).rows[0].y
    let width = box.width + lying * lying * (box.height - box.width)
    let height = box.height + lying * lying * (box.width - box.height)
    let distance = 3 * max(width, height)
    let corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)].map { (x: Float, y: Float) -> Point in
      let place = rotation(SIMD3(x * width / 2, y * height / 2, 0))
      let nearness = distance / (distance + place.z)
      return Point(x: box.center.x + place.x * nearness, y: box.center.y + place.y * nearness)
    }
    if style.marks.contains(.filled) {
      fillPolygon(corners, colour: style.fillColour)
    }
    strokeLines(corners, closed: true, width: style.boxWidth, colour: style.boxColour)
  }

  /// Draws the head's axes, half as long as the box, from the tip of the nose or, without points, from the
  /// middle of the box.
  func drawAxes(_ face: Face, _ pose: Pose, _ style: FaceStyle) {
    guard face.box.isValid, Canvas.isDrawable(pose.yaw, pose.pitch, pose.roll) else { return }
    let rotation = HeadRotation(pose)
    let origin = face.points?.noseTip ?? face.box.center
    let length = face.box.meanSide / 2
    let ends: [(axis: SIMD3<Float>, colour: Colour)] = [
      (SIMD3(1, 0, 0), .red), (SIMD3(0, 1, 0), .green), (SIMD3(0, 0, -1), .blue),
    ]
    // The axes that point away from the camera are drawn first.
    let turned = ends.map { (place: rotation($0.axis), colour: $0.colour) }
    for (place, colour) in turned.sorted(by: { $0.place.z > $1.place.z }) {
      strokeLines(
        [origin, Point(x: origin.x + length * place.x, y: origin.y + length * place.y)], closed: false,
        width: style.axisWidth, colour: colour)
    }
  }
}
