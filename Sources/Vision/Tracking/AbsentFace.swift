import FaceCore

/// What is kept of a face's appearance, so that it has its id again when it returns: its head in a few
/// different poses.
struct FaceGallery: Sendable {
  private(set) var appearances: [AlignedAppearance] = []
  /// When the last one was taken.
  private var taken: Int64?

  private static let maxCount = 8
  /// The time from one appearance to the next.
  private static let period: TimeSpan = .milliseconds(200)
  /// An appearance that differs by less from a kept one shows the same pose.
  private static let samePose: Float = 0.1

  /// Whether it is time for another appearance.
  func isDue(at time: Int64) -> Bool {
    guard let taken, time >= taken else { return true }
    return FaceAssociator.isWithin(FaceGallery.period, time, after: taken) == false
  }

  /// Adds the appearance in a frame; `nil` if the frame shows too little.
  mutating func add(_ appearance: AlignedAppearance?, at time: Int64) {
    taken = time
    if let appearance { add(appearance) }
  }

  /// Adds the appearances of the same person's gallery.
  mutating func add(_ earlier: FaceGallery) {
    let later = appearances
    appearances = earlier.appearances
    for appearance in later { add(appearance) }
  }

  private mutating func add(_ appearance: AlignedAppearance) {
    let differences = appearances.map { $0.difference(from: appearance) }
    if let nearest = differences.indices.min(by: { differences[$0] < differences[$1] }),
      differences[nearest] < FaceGallery.samePose
    {
      appearances.remove(at: nearest)
    } else if appearances.count == FaceGallery.maxCount {
      appearances.removeFirst()
    }
    appearances.append(appearance)
  }

  mutating func removeAll() {
    self = FaceGallery()
  }

  /// Returns the least difference of any appearance; infinity without one.
  func difference(from appearance: AlignedAppearance) -> Float {
    appearances.reduce(.infinity) { min($0, $1.difference(from: appearance)) }
  }

  func difference(from other: FaceGallery) -> Float {
    other.appearances.reduce(.infinity) { min($0, difference(from: $1)) }
  }
}

/// A face that is out of view, with what is kept of it for its return.
struct AbsentFace: Sendable {
  let id: UInt64
  let frameCount: UInt32
  let gallery: FaceGallery
  /// The side of its box when it was last seen, in `FrameCoordinates`.
  let side: Float
  let firstSeen: Int64
  let lastSeen: Int64

  /// `nil` for a face without an id, or without kept data.
  init?(_ tracklet: Tracklet) {
    guard let id = tracklet.id, !tracklet.isFollowed, !tracklet.gallery.appearances.isEmpty else {
      return nil
    }
    (self.id, frameCount, gallery) = (id, tracklet.frameCount, tracklet.gallery)
    (side, firstSeen, lastSeen) = (tracklet.motion.box.side, tracklet.firstSeen, tracklet.lastSeen)
  }

  /// The largest difference at which two appearances count as the same person. Of pairs of different people in
  /// one photo, one in a thousand differs by less.
  static let maxDifference: Float = 0.235
  /// How much less alike every other known face must be.
  private static let margin: Float = 0.05
  /// A face that is so many times as large, or as small, as it was is another one.
  private static let maxSizeRatio: Float = 3

  /// Returns which of `absent` a new face is; `nil` if none is clearly alike.
  /// - Parameters:
  ///   - appearance: of the new face.
  ///   - side: of its box.
  ///   - firstSeen: when it was first found: who was in view then, is not this face.
  ///   - others: the galleries of the faces that are in view.
  static func identify(
    _ appearance: AlignedAppearance, side: Float, firstSeen: Int64, among absent: [AbsentFace],
    others: [FaceGallery]
  ) -> AbsentFace? {
    let differences = absent.map { $0.gallery.difference(from: appearance) }
    let possible = absent.indices.filter { index in
      let ratio = side / absent[index].side
      return absent[index].lastSeen < firstSeen && max(ratio, 1 / ratio) <= maxSizeRatio
    }
    guard let best = possible.min(by: { differences[$0] < differences[$1] }),
      differences[best] <= maxDifference
    else { return nil }
    let least = differences[best] + margin
    let isUnlikeOthers = others.allSatisfy { $0.difference(from: appearance) >= least }
    let isUnlikeAbsent = absent.indices.allSatisfy { index in
      index == best || differences[index] >= least || absent[best].isSamePerson(as: absent[index])
    }
    return isUnlikeOthers && isUnlikeAbsent ? absent[best] : nil
  }

  /// Whether this may be the same person under another id: alike, and never in view with the other.
  private func isSamePerson(as other: AbsentFace) -> Bool {
    (lastSeen < other.firstSeen || other.lastSeen < firstSeen)
      && gallery.difference(from: other.gallery) <= AbsentFace.maxDifference
  }
}
