public import FaceCore

extension Canvas {
  /// Draws the marks of `style` on each face, except those for which the face has no measurement.
  /// - Parameter labels: the labels of the faces, in their order; further faces have none. No label may
  ///   contain NUL.
  public func draw(_ faces: [Face], labels: [String?] = [], style: FaceStyle = FaceStyle()) {
    setAntialias(style.antialias)
    if !style.marks.isDisjoint(with: .covers) { cover(faces.map(\.box), style: style) }
    let styles = faces.map { style.fitted(to: $0) }
    for (face, style) in zip(faces, styles) { drawMarks(face, style) }
    let captions = faces.indices.map {
      Caption(faces[$0], label: $0 < labels.count ? labels[$0] : nil, style.marks)
    }
    guard !style.plates else { return drawPlates(faces, captions, styles) }
    for index in faces.indices {
      let (box, style) = (faces[index].box, styles[index])
      if let headline = captions[index].headline { drawHeadline(headline, box, style) }
      if let angles = captions[index].angles { drawAngles(angles, box, style) }
    }
  }

  /// Draws the circle in which a guided check wants the face; if `hollow`, everything outside it is dimmed.
  public func drawMask(_ circle: Circle, hollow: Bool, style: FaceStyle = FaceStyle()) {
    setAntialias(style.antialias)
    if hollow { fillOutside(circle, colour: style.dimColour) }
    strokeCircle(circle, width: style.circleWidth, colour: style.circleColour)
  }

  private func drawMarks(_ face: Face, _ style: FaceStyle) {
    let marks = style.marks
    let turned = marks.contains(.turnedBoxes) ? face.pose : nil
    // A turned box is filled when it is drawn, and of a face without pose it is upright.
    if marks.contains(.filled), turned == nil { fillRectangle(face.box, colour: style.fillColour) }
    if let landmarks = face.landmarks { drawLandmarks(landmarks, style) }
    if marks.contains(.boxes) || marks.contains(.turnedBoxes) && turned == nil {
      strokeRectangle(face.box, width: style.boxWidth, colour: style.boxColour)
    }
    if marks.contains(.corners) { drawCorners(face.box, style) }
    if let turned { drawTurnedBox(face.box, turned, style) }
    if marks.contains(.points), let points = face.points {
      for point in points.all {
        fillCircle(centre: point, diameter: style.pointSize, colour: style.pointColour)
      }
    }
    if marks.contains(.axes), let pose = face.pose { drawAxes(face, pose, style) }
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

  /// Writes label, id and confidence above the box, or inside it at the picture's edge.
  private func drawHeadline(_ text: String, _ box: Box, _ style: FaceStyle) {
    let above = box.y - style.boxWidth - style.textSize / 4
    let line = above >= style.textSize ? above : max(box.y, 0) + style.boxWidth + style.textSize
    drawText(
      text, at: Point(x: max(box.x, style.boxWidth), y: line), size: style.textSize,
      colour: style.textColour, font: style.font)
  }

  /// Writes the angles below the box, or inside it at the picture's edge.
  private func drawAngles(_ text: String, _ box: Box, _ style: FaceStyle) {
    let below = box.maxY + style.boxWidth + style.textSize
    let bottom = Float(size.height)
    let line =
      below + style.textSize / 4 <= bottom
      ? below : min(box.maxY, bottom) - style.boxWidth - style.textSize / 2
    drawText(
      text, at: Point(x: max(box.x, style.boxWidth), y: line), size: style.textSize,
      colour: style.textColour, font: style.font)
  }
}

/// The texts that are written at a face.
package struct Caption {
  /// The label, id and confidence.
  package let headline: String?
  package let angles: String?

  package init(_ face: Face, label: String?, _ marks: FaceStyle.Marks) {
    var words: [String] = []
    if let label, !label.isEmpty { words.append(Caption.isolated(label)) }
    if marks.contains(.ids), let track = face.track { words.append("id \(track.id)") }
    if marks.contains(.confidences), (0...1).contains(face.confidence) {
      words.append("\(Int((face.confidence * 100).rounded()))%")
    }
    headline = words.isEmpty ? nil : words.joined(separator: "  ")
    angles = marks.contains(.angles) ? face.pose.flatMap { Caption.angles($0) } : nil
  }

  /// Returns a label whose direction, in Arabic for instance, does not reorder the numbers after it. Source:
  /// Unicode Annex 9, isolates.
  private static func isolated(_ label: String) -> String {
    label.utf8.allSatisfy { $0 < 128 } ? label : "\u{2068}\(label)\u{2069}"
  }

  private static func angles(_ pose: Pose) -> String? {
    guard Canvas.isDrawable(pose.yaw, pose.pitch, pose.roll) else { return nil }
    func whole(_ angle: Float) -> Int { Int(angle.rounded()) }
    return "yaw \(whole(pose.yaw)) pitch \(whole(pose.pitch)) roll \(whole(pose.roll))"
  }

  var lines: [String] { [headline, angles].compactMap(\.self) }
}
