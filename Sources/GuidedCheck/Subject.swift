import FaceCore

/// Which of the faces is the person's.
enum Subject {
  /// The one that is followed; else the largest of those whose middle is in the circle, else the largest.
  /// - Returns: an index; `nil` without faces.
  static func index(among faces: [Face], in place: Place, following id: UInt64?) -> Int? {
    if let id, let index = faces.firstIndex(where: { $0.track?.id == id }) { return index }
    func largest(_ indices: some Sequence<Int>) -> Int? {
      indices.max { faces[$0].box.longSide < faces[$1].box.longSide }
    }
    return largest(faces.indices.lazy.filter { place.offset(faces[$0].box) <= 1 }) ?? largest(faces.indices)
  }

  /// Whether no other face is large enough beside this one to count.
  static func isAlone(_ index: Int, among faces: [Face], maxOther: Float) -> Bool {
    guard maxOther < 1 else { return true }
    let limit = maxOther * faces[index].box.longSide
    return faces.indices.allSatisfy { $0 == index || faces[$0].box.longSide <= limit }
  }
}
