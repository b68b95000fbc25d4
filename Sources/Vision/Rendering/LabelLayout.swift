package import FaceCore

/// Places the plates of faces: inside the picture, apart from one another and, if possible, from the faces.
///
/// The most confident face chooses first: the greedy algorithm for labelling points on maps of Christensen,
/// Marks, Shieber, "An Empirical Study of Algorithms for Point-Feature Label Placement", 1995.
package enum LabelLayout {
  /// A face's box and the size of its plate.
  package struct Label {
    package var box: Box
    package var confidence: Float
    package var width: Float
    package var height: Float
    /// The gap between the box and the plate.
    package var gap: Float

    package init(box: Box, confidence: Float, width: Float, height: Float, gap: Float) {
      (self.box, self.confidence) = (box, confidence)
      (self.width, self.height, self.gap) = (width, height, gap)
    }
  }

  /// The most plates: no picture has room for more legible ones.
  package static let maxLabels = 1000
  /// A plate that would cover more of another face than this is left out.
  private static let maxCover: Float = 0.25

  /// Returns the plate of each label, in their order; `nil` where there is no room.
  /// - Parameter others: boxes of faces that have no label.
  package static func place(_ labels: [Label], others: [Box] = [], in picture: PixelSize) -> [Box?] {
    var plates = [Box?](repeating: nil, count: labels.count)
    let order = labels.indices.filter { labels[$0].box.isValid }
      .sorted { labels[$0].confidence > labels[$1].confidence }.prefix(maxLabels)
    let faces = order.map { labels[$0].box } + others.prefix(maxLabels)
    var taken: [Box] = []
    for (rank, index) in order.enumerated() {
      let label = labels[index]
      let free = candidates(label, in: picture).filter { plate in
        !taken.contains { $0.overlap(plate) > 0 }
      }
      let costs = free.enumerated().compactMap { place, plate -> (plate: Box, cost: Float)? in
        guard let covered = cover(plate, faces, without: rank) else { return nil }
        return (plate, covered + Float(place) * 0.001)
      }
      guard let best = costs.min(by: { $0.cost < $1.cost })?.plate else { continue }
      plates[index] = best
      taken.append(best)
    }
    return plates
  }

  /// Returns the share of the plate that lies on faces; `nil` if it hides too much of one.
  private static func cover(_ plate: Box, _ faces: [Box], without own: Int) -> Float? {
    var covered: Float = 0
    for (index, face) in faces.enumerated() {
      let overlap = face.overlap(plate)
      guard overlap > 0 else { continue }
      // Covering its own face is better than covering another.
      guard overlap <= maxCover * face.area else { return nil }
      covered += overlap / plate.area * (index == own ? 0.5 : 1)
    }
    return covered
  }

  /// Returns places in the order in which people look for a caption: above, below, beside, inside. All are
  /// within the picture.
  private static func candidates(_ label: Label, in picture: PixelSize) -> [Box] {
    let (box, width, height, gap) = (label.box, label.width, label.height, label.gap)
    let lefts = [box.x, box.center.x - width / 2, box.maxX - width]
    let tops = [box.y, box.center.y - height / 2, box.maxY - height]
    var places: [(x: Float, y: Float)] = []
    for y in [box.y - gap - height, box.maxY + gap] { places += lefts.map { ($0, y) } }
    for x in [box.maxX + gap, box.x - gap - width] { places += tops.map { (x, $0) } }
    // Further places along each edge, as far as the plate still touches it.
    for y in [box.y - gap - height, box.maxY + gap] {
      places += [(box.x - width * 0.75, y), (box.maxX - width * 0.25, y)]
    }
    for y in [box.y + gap, box.maxY - gap - height] { places.append((box.center.x - width / 2, y)) }
    let (right, bottom) = (Float(picture.width) - width, Float(picture.height) - height)
    guard right >= 0, bottom >= 0 else { return [] }
    return places.compactMap { place in
      let plate = Box(
        x: min(max(place.x, 0), right), y: min(max(place.y, 0), bottom), width: width, height: height)
      // A plate that was moved into the picture must still be beside its face.
      return plate.grown(by: gap * 1.5).overlap(box) > 0 ? plate : nil
    }
  }
}

extension Box {
  /// Returns the area that both cover.
  fileprivate func overlap(_ other: Box) -> Float {
    max(0, min(maxX, other.maxX) - max(x, other.x)) * max(0, min(maxY, other.maxY) - max(y, other.y))
  }

  fileprivate func grown(by margin: Float) -> Box {
    Box(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
  }
}
