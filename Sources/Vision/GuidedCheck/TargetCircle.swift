import FaceCore

/// The circle that the face should fill, and the directions as the person sees them in the view.
struct TargetCircle {
  /// The circle in pixels of the upright image.
  let circle: Circle
  private let toView: AffineMap

  /// Throws as `CoordinateSpace.conversion`.
  init(_ options: CheckOptions, _ size: PixelSize) throws(Status) {
    let conversion = try options.space.conversion(for: size)
    if let mask = options.mask {
      circle = conversion.fromSpace(mask)
    } else if case .view(let view) = options.space {
      let middle = Point(x: view.width / 2, y: view.height / 2)
      let radius = CheckOptions.standardRadius * min(view.width, view.height)
      circle = conversion.fromSpace(Circle(center: middle, radius: radius))
    } else {
      let middle = Point(x: Float(size.width) / 2, y: Float(size.height) / 2)
      circle = Circle(center: middle, radius: CheckOptions.standardRadius * Float(size.shortSide))
    }
    toView = if case .view = options.space { conversion.toSpace } else { AffineMap() }
  }

  /// Returns the distance of the face's middle from the circle's, in radii.
  func offset(_ box: Box) -> Float {
    let (x, y) = distance(box)
    return (x * x + y * y).squareRoot() / circle.radius
  }

  /// Returns the tip for the direction in which the person has to move, as the view shows it.
  func tip(towards box: Box) -> Tip {
    let (x, y) = distance(box)
    return tip(x: -x, y: -y)
  }

  /// Returns the tip for a direction in the picture, given to its right and down.
  func tip(x: Float, y: Float) -> Tip {
    let origin = toView(0, 0)
    let there = toView(Double(x), Double(y))
    let (right, down) = (there.x - origin.x, there.y - origin.y)
    if abs(right) >= abs(down) { return right < 0 ? .moveLeft : .moveRight }
    return down < 0 ? .moveUp : .moveDown
  }

  func size(_ box: Box) -> Float { box.longSide / (2 * circle.radius) }

  private func distance(_ box: Box) -> (x: Float, y: Float) {
    (box.middle.x - circle.center.x, box.middle.y - circle.center.y)
  }
}

extension Box {
  var middle: Point { Point(x: x + width / 2, y: y + height / 2) }
  var longSide: Float { max(width, height) }
}

/// Chooses the face of the person who is checked.
enum PersonFace {
  /// How much larger another face must be, and how much farther from the circle's middle this one, before the
  /// other takes its place: beside an equal neighbour, tips would be about one and the other by turns.
  private static let (clearlyLarger, clearlyOutside): (Float, Float) = (1.25, 1.15)

  /// Returns the index of the face with the track `id`; else of the largest whose middle is in the circle,
  /// else of the largest; `nil` without faces.
  /// - Parameter shown: the track of the face that was chosen last, which remains so unless another one is
  ///   clearly larger, or alone in the circle.
  static func index(
    among faces: [Face], in target: TargetCircle, track id: UInt64?, unlessClearer shown: UInt64? = nil
  ) -> Int? {
    func face(_ id: UInt64?) -> Int? { id.flatMap { id in faces.firstIndex { $0.track?.id == id } } }
    if let index = face(id) { return index }
    func largest(_ indices: some Sequence<Int>) -> Int? {
      indices.max { faces[$0].box.longSide < faces[$1].box.longSide }
    }
    let inside = largest(faces.indices.lazy.filter { target.offset(faces[$0].box) <= 1 })
    let first = inside ?? largest(faces.indices)
    guard let first, let kept = face(shown) else { return first }
    let isOutside = inside != nil && target.offset(faces[kept].box) > clearlyOutside
    return isOutside || faces[first].box.longSide > clearlyLarger * faces[kept].box.longSide ? first : kept
  }

  /// Returns whether no other face is large enough relative to this one to count.
  static func isAlone(_ index: Int, among faces: [Face], maxOther: Float) -> Bool {
    guard maxOther < 1 else { return true }
    let limit = maxOther * faces[index].box.longSide
    return faces.indices.allSatisfy { $0 == index || faces[$0].box.longSide <= limit }
  }
}
