public import FaceCore

extension Canvas {
  /// Draws the marks of `style` on each face, except those for which the face has no measurement.
  public func draw(_ faces: [Face], style: FaceStyle = FaceStyle()) {
    setAntialias(style.antialias)
    for face in faces {
      if let landmarks = face.landmarks {
        if style.marks.contains(.landmarkLines) { drawLines(landmarks, style) }
        if style.marks.contains(.landmarkPoints) { drawPoints(landmarks, style) }
      }
      if style.marks.contains(.boxes) {
        strokeRectangle(face.box, width: style.boxWidth, colour: style.boxColour)
      }
      if style.marks.contains(.corners) { drawCorners(face.box, style) }
      if style.marks.contains(.points), let points = face.points {
        for point in points.all {
          fillCircle(centre: point, diameter: style.pointSize, colour: style.pointColour)
        }
      }
      if style.marks.contains(.ids), let track = face.track { drawID(track.id, face.box, style) }
      if style.marks.contains(.angles), let pose = face.pose { drawAngles(pose, face.box, style) }
    }
  }

  /// Draws the circle in which a guided check wants the face; if `hollow`, everything outside it is dimmed.
  public func drawMask(_ circle: Circle, hollow: Bool, style: FaceStyle = FaceStyle()) {
    setAntialias(style.antialias)
    if hollow { fillOutside(circle, colour: style.dimColour) }
    strokeCircle(circle, width: style.circleWidth, colour: style.circleColour)
  }

  /// Draws each region as a line, closed if the region is; a region of one point is drawn as a point.
  private func drawLines(_ landmarks: Landmarks, _ style: FaceStyle) {
    for region in LandmarkRegion.allCases where region != .allPoints {
      let points = landmarks.points(of: region).map(\.point)
      if points.count == 1 {
        fillCircle(centre: points[0], diameter: 2 * style.lineWidth, colour: style.landmarkColour)
      } else {
        strokeLines(
          points, closed: region.isClosed, width: style.lineWidth, colour: style.landmarkColour)
      }
    }
  }

  private func drawPoints(_ landmarks: Landmarks, _ style: FaceStyle) {
    for point in landmarks.points {
      fillCircle(centre: point.point, diameter: style.landmarkSize, colour: style.landmarkColour)
    }
  }

  /// Draws from each corner a fifth of the shorter side.
  private func drawCorners(_ box: Box, _ style: FaceStyle) {
    let arm = min(box.width, box.height) / 5
    for (x, right) in [(box.x, arm), (box.maxX, -arm)] {
      for (y, down) in [(box.y, arm), (box.maxY, -arm)] {
        strokeLines(
          [Point(x: x + right, y: y), Point(x: x, y: y), Point(x: x, y: y + down)], closed: false,
          width: style.boxWidth, colour: style.boxColour)
      }
    }
  }

  /// Writes the id above the box, or inside it at the picture's edge.
  private func drawID(_ id: UInt64, _ box: Box, _ style: FaceStyle) {
    let above = box.y - style.boxWidth - style.textSize / 4
    let line = above >= style.textSize ? above : max(box.y, 0) + style.boxWidth + style.textSize
    drawText(
      "id \(id)", at: Point(x: max(box.x, style.boxWidth), y: line), size: style.textSize,
      colour: style.textColour, font: style.font)
  }

  /// Writes the angles below the box, or inside it at the picture's edge.
  private func drawAngles(_ pose: Pose, _ box: Box, _ style: FaceStyle) {
    guard Canvas.isDrawable(pose.yaw, pose.pitch, pose.roll) else { return }
    func whole(_ angle: Float) -> Int { Int(angle.rounded()) }
    let below = box.maxY + style.boxWidth + style.textSize
    let bottom = Float(size.height)
    let line =
      below + style.textSize / 4 <= bottom
      ? below : min(box.maxY, bottom) - style.boxWidth - style.textSize / 2
    drawText(
      "yaw \(whole(pose.yaw)) pitch \(whole(pose.pitch)) roll \(whole(pose.roll))",
      at: Point(x: max(box.x, style.boxWidth), y: line), size: style.textSize, colour: style.textColour,
      font: style.font)
  }
}
