/// A face that the caller of a stream knows already and wants to be followed.
public struct FollowedFace: Equatable, Sendable, BitwiseCopyable {
  /// The id of its `Track`.
  public var id: UInt64
  /// The box in pixels of the upright image of the frame that it belongs to.
  public var box: Box

  /// The first id of such faces: above those of the faces that a detector finds, so that the caller who
  /// passes a box knows the id at once.
  public static let firstID: UInt64 = 1 << 32

  /// The largest number of faces in one frame, and that a stream follows at a time.
  public static let maxCount = 1000

  public init(id: UInt64, box: Box) {
    self.id = id
    self.box = box
  }
}

extension [FollowedFace] {
  /// Returns these faces, of a frame that was not searched, and those of the frame that replaces it: the
  /// newest, if there are too many.
  package func joined(with newer: [FollowedFace]) -> [FollowedFace] {
    isEmpty ? newer : Array((self + newer).suffix(FollowedFace.maxCount))
  }
}

/// The faces that were passed to a stream and wait for its next frame.
package struct WaitingFollowedFaces: Sendable {
  package private(set) var faces: [FollowedFace] = []
  private var nextID = FollowedFace.firstID

  package init() {}

  /// Adds a face.
  /// - Returns: the id of the face. Throws `invalidArgument` for a box without an area, `resourceExhausted`
  ///   if too many are waiting.
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

  /// Puts back the faces of a frame that was not searched; they go with the next one.
  package mutating func returnUnused(_ unused: [FollowedFace]) {
    faces = unused.joined(with: faces)
  }

  /// Removes the faces that went with a frame.
  package mutating func remove(_ taken: [FollowedFace]) {
    if taken.isEmpty { return }
    faces.removeAll { taken.contains($0) }
  }

  package mutating func takeAll() -> [FollowedFace] {
    defer { faces = [] }
    return faces
  }
}
