package import FaceCore
package import Imaging

extension Overlay {
  /// A part of an overlay that lies in one plane of space.
  package struct Part {
    /// The area of the part, in pixels of the overlay.
    package let source: Box
    /// The map from these pixels to the canvas.
    package let map: Homography
  }

  /// The distance of the front of glasses from the outer corners of the eyes, in centimetres: 12 mm from the
  /// eye (ISO 13666, vertex distance), whose front is about 10 mm before its corner.
  private static let front: Float = 2.2
  /// Half the width of a head above the ears, and the distance of the ears behind the corners of the eyes, in
  /// centimetres. Source: Farkas, "Anthropometry of the Head and Face", 1994.
  private static let ear = (side: Float(7.4), depth: Float(9.5))

  /// Returns the visible parts, the furthest first; `nil` if a part of them is not in front of the camera.
  package func parts(_ picture: borrowing TransparentPicture, on head: HeadView) -> [Part]? {
    let (width, height) = (Float(picture.bitmap.size.width), Float(picture.bitmap.size.height))
    let left = SIMD2(leftEye.x * width, leftEye.y * height)
    let right = SIMD2(rightEye.x * width, rightEye.y * height)
    let distance = ((left - right) * (left - right)).sum().squareRoot()
    guard distance.isFinite, distance > 0 else { return nil }
    // Centimetres per pixel along the line of the eyes and across it. In a mirror image the subject's left is
    // at the overlay's right, and the picture is not mirrored with it.
    let scale = HeadView.centimetresBetweenEyes / distance
    let along = (left - right) * (scale / distance)
    let middle = (left + right) / 2
    let mirror: Float = head.isMirrored == isMirrored ? 1 : -1
    func place(_ x: Float, _ y: Float) -> SIMD3<Float> {
      let (dx, dy) = (x - middle.x, y - middle.y)
      return SIMD3(mirror * (along.x * dx + along.y * dy), along.x * dy - along.y * dx, -Overlay.front)
    }
    let ends = armWidths(picture)
    let hinges = (left: ends.left, right: width - ends.right)
    var parts: [(source: Box, corner: SIMD3<Float>, across: SIMD3<Float>, down: SIMD3<Float>)] = []
    let down = place(0, 1) - place(0, 0)
    for (source, hinge, outwards) in [
      (Box(x: 0, y: 0, width: hinges.left, height: height), hinges.left, Float(-1)),
      (Box(x: hinges.right, y: 0, width: ends.right, height: height), hinges.right, 1),
    ] where source.width > 0 {
      let start = place(hinge, 0)
      let side = start.x < 0 ? -Overlay.ear.side : Overlay.ear.side
      let spread = abs(start.x) < Overlay.ear.side ? side - start.x : 0
      let back = SIMD3(spread, 0, Overlay.front + Overlay.ear.depth) * (outwards / source.width)
      parts.append((source, start + back * (source.x - hinge), back, down))
    }
    parts.append(
      (
        Box(x: hinges.left, y: 0, width: hinges.right - hinges.left, height: height),
        place(hinges.left, 0), place(1, 0) - place(0, 0), down
      ))
    var seen: [Part] = []
    for part in parts {
      let origin = part.corner - part.across * part.source.x - part.down * part.source.y
      let at = head.project(origin)
      let map = Homography(
        x: head.project(origin + part.across) - at, y: head.project(origin + part.down) - at, origin: at)
      guard let turnsRound = map.turnsRound(part.source) else { return nil }
      // A part seen from behind is hidden by the head.
      if turnsRound == isMirrored { seen.append(Part(source: part.source, map: map)) }
    }
    return seen
  }

  /// Returns the widths in pixels at the left and right that belong to the arms.
  private func armWidths(_ picture: borrowing TransparentPicture) -> (left: Float, right: Float) {
    let width = picture.bitmap.size.width
    guard arms == 0 else {
      let share = arms > 0 ? min(arms, 0.45) * Float(width) : 0
      return (share, share)
    }
    let heights = (0..<width).map { picture.coveredHeight(ofColumn: $0) }
    guard let highest = heights.max(), highest > 0 else { return (0, 0) }
    // A thin end is an arm, but not if it is too wide, as half of a hat's brim.
    func end(_ columns: some Sequence<Int>) -> Float {
      let thin = columns.prefix { heights[$0] * 3 < highest }
      let covered = thin.filter { heights[$0] > 0 }
      guard thin.count * 5 < width, covered.count * 40 > width else { return 0 }
      return Float(thin.count)
    }
    return (end(0..<width), end((0..<width).reversed()))
  }
}

extension TransparentPicture {
  /// Returns the number of rows from the first to the last opaque pixel of a column.
  fileprivate func coveredHeight(ofColumn x: Int) -> Int {
    let pixels = bitmap.pixels
    let covered = (0..<bitmap.size.height).filter { pixels[$0 * bitmap.stride + 4 * x + 3] > 32 }
    guard let first = covered.first, let last = covered.last else { return 0 }
    return last - first + 1
  }
}
