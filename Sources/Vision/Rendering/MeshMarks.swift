import FaceCore

/// Draws marks of a face's dense points. Unless all of them are known, nothing is drawn.
extension Canvas {
  func drawLandmarks(_ landmarks: Landmarks, _ style: FaceStyle) {
    guard landmarks.points.count == Landmarks.count else { return }
    let points = landmarks.points.map(\.point)
    if style.marks.contains(.mesh) { drawMesh(points, style) }
    if style.marks.contains(.contours) { drawContours(points, style) }
    if style.marks.contains(.irises) { drawIrises(points, style) }
    if style.marks.contains(.landmarkLines) { drawLines(landmarks, style) }
    if style.marks.contains(.landmarkPoints) {
      for point in points {
        fillCircle(centre: point, diameter: style.landmarkSize, colour: style.landmarkColour)
      }
    }
  }

  /// Draws the mesh in one stroke, so that lines of a translucent colour are not darker where they meet.
  private func drawMesh(_ points: [Point], _ style: FaceStyle) {
    let trails = MeshTopology.trails.map { trail in trail.map { points[Int($0)] } }
    strokePaths(
      trails.map { (points: $0, isClosed: false) }, width: style.meshWidth, colour: style.meshColour)
  }

  private func drawContours(_ points: [Point], _ style: FaceStyle) {
    func path(_ region: LandmarkRegion) -> (points: [Point], isClosed: Bool) {
      (region.indices.map { points[$0] }, true)
    }
    func path(_ contour: FaceContour) -> (points: [Point], isClosed: Bool) {
      (contour.indices.map { points[$0] }, contour.path == .closed)
    }
    func stroke(_ paths: [(points: [Point], isClosed: Bool)], _ colour: Colour) {
      strokePaths(paths, width: style.lineWidth, colour: colour)
    }
    stroke([path(.face), path(.outerLips), path(.innerLips)], style.contourColour)
    stroke(
      [path(FaceContour.leftEye), path(.leftEyebrowBottom), path(.leftEyebrowTop)], style.leftColour)
    stroke(
      [path(FaceContour.rightEye), path(.rightEyebrowBottom), path(.rightEyebrowTop)], style.rightColour)
  }

  private func drawIrises(_ points: [Point], _ style: FaceStyle) {
    for (region, colour) in [
      (LandmarkRegion.leftPupil, style.leftColour), (.rightPupil, style.rightColour),
    ] {
      guard let centre = region.indices.first else { continue }
      let rim = points[centre + 1...centre + 4]
      strokeEllipse(
        ends: (rim[centre + 1], rim[centre + 3]), (rim[centre + 2], rim[centre + 4]), width: style.lineWidth,
        colour: colour)
    }
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
}
