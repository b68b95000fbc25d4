/// A face that the caller of a stream knows already and wants followed.
public struct FollowedFace: Equatable, Sendable, BitwiseCopyable {
  /// Of its `Track`.
  public var id: UInt64
  /// In pixels of the upright image of the frame that it comes with.
  public var box: Box

  /// Where the ids of such faces begin: beyond those of the faces that a detector finds, so that whoever hands in a box
  /// knows the id at once.
  public static let firstID: UInt64 = 1 << 32

  /// The most that come with one frame, and that a stream follows at a time.
  public static let maxCount = 1000

  public init(id: UInt64, box: Box) {
    self.id = id
    self.box = box
  }
}

extension [FollowedFace] {
  /// These, of a frame that was not searched, and those of the frame that takes its place: the newest, if they are too many.
  package func joined(with newer: [FollowedFace]) -> [FollowedFace] {
    isEmpty ? newer : Array((self + newer).suffix(FollowedFace.maxCount))
  }
}

/// The faces that were handed in to a stream and wait for its next frame.
package struct WaitingFollowedFaces: Sendable {
  package private(set) var faces: [FollowedFace] = []
  private var nextID = FollowedFace.firstID

  package init() {}

  /// - Returns: the id of the face. Throws `invalidArgument` for a box without an area, `resourceExhausted` where too many
  ///   wait.
  package mutating func add(_ box: Box) throws(Status) -> UInt64 {
    guard box.isValid else {
      throw Status(
        .invalidArgument,
        "the box has a side of 0 or less, or a number that is not finite; give x, y, width and height in pixels"
      )
    }
    guard faces.count < FollowedFace.maxCount else {
      throw Status(
        .resourceExhausted, "\(faces.count) boxes wait for a frame; submit the frame that they belong to")
    }
    defer { nextID += 1 }
    faces.append(FollowedFace(id: nextID, box: box))
    return nextID
  }

  /// Those of a frame that was not searched go with the next one.
  package mutating func returnUnused(_ unused: [FollowedFace]) {
    faces = unused.joined(with: faces)
  }

  /// They go with a frame that was taken.
  package mutating func remove(_ taken: [FollowedFace]) {
    if taken.isEmpty { return }
    faces.removeAll { taken.contains($0) }
  }

  package mutating func takeAll() -> [FollowedFace] {
    defer { faces = [] }
    return faces
  }
}
