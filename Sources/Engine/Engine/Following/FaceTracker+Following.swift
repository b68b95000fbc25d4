import Detection
import FaceCore
import Imaging
import Tracking

/// Tracking of faces that the caller handed in. They are followed even if the detector does not see them, as
/// long as their pixels show their place.
extension FaceTracker {
  /// The largest difference from the appearance when the face was last found. Beyond it, the face counts as
  /// lost.
  private static let maxUnlikeness: Float = 1.15
  /// The confidence of a face that is followed by its pixels alone and looks the same as before.
  private static let maxConfidence: Float = 0.5

  /// Returns the faces that lie in the picture, up to the number that can be followed at a time; the others
  /// leave at once.
  func placed(
    _ followed: [FollowedFace], in size: PixelSize, _ state: inout State
  ) -> [FollowedFace] {
    var room = FollowedFace.maxCount - state.tracker.expectedFollowedBoxes(imageSize: size).count
    return followed.filter { face in
      let inside = face.box.clamped(to: size)
      if inside.width > 0, inside.height > 0, room > 0 {
        room -= 1
        return true
      }
      state.left.append(face.id)
      return false
    }
  }

  /// Searches only where faces that were handed in are expected.
  /// - Parameter followed: the faces handed in with this frame.
  func findFollowed(
    _ followed: [FollowedFace], _ state: inout State, _ known: inout FollowedPoints, _ picture: UprightImage,
    _ options: DetectionOptions, _ detector: FrameDetector
  ) throws(Status) -> DetectionResult {
    // The boxes are exact: no later search of a whole frame would correct them.
    state.framesSinceSearch = 0
    let expected =
      state.tracker.expectedFollowedBoxes(imageSize: picture.size) + followed.map { (number: 0, box: $0.box) }
    if expected.isEmpty { return DetectionResult(imageSize: picture.size, faces: []) }
    if let found = try detector.findExpected(expected, &known, in: picture, options) { return found }
    return try detector.models.detector(for: options).detector.findFaces(in: picture, options)
  }

  /// Adds handed-in faces that were not found but whose pixels show how they have moved.
  /// - Returns: the boxes of the added faces.
  func addByPixels(
    to found: inout DetectionResult, _ state: State, _ picture: UprightImage
  ) throws(Status) -> [Box] {
    guard !state.appearances.isEmpty, picture.size == state.size else { return [] }
    var added: [Box] = []
    for (number, box) in state.tracker.expectedFollowedBoxes(imageSize: picture.size) {
      guard !found.faces.contains(where: { $0.box.intersectionOverUnion(box) >= RegionDetector.minOverlap }),
        let known = state.appearances[number], var face = try state.steady[number]?.followed(in: picture),
        let seen = try FaceAppearance(of: face.box, in: picture)
      else { continue }
      let likeness = 1 - seen.difference(from: known) / FaceTracker.maxUnlikeness
      guard likeness > 0 else { continue }
      face.confidence = FaceTracker.maxConfidence * likeness
      found.faces.append(face)
      added.append(face.box)
    }
    return added
  }

  /// Follows the faces handed in with this frame, which was searched.
  /// - Parameters:
  ///   - numbers: the tracklet numbers of the faces of `result`, in their order.
  ///   - pixels: the boxes of the faces that `addByPixels` added.
  ///   - appearance: returns the appearance of a box in the frame.
  func addHandedIn(
    _ followed: [FollowedFace], _ result: inout DetectionResult, _ numbers: inout [UInt64], pixels: [Box],
    _ state: inout State, appearance: (Box) throws(Status) -> FaceAppearance?
  ) throws(Status) {
    for face in followed {
      let (number, track, left) = state.tracker.follow(
        face, imageSize: result.imageSize, appearance: try appearance(face.box))
      if let left { state.left.append(left) }
      if let index = numbers.firstIndex(of: number) {
        result.faces[index].track = track
      } else {
        var given = Face(box: face.box, confidence: 1, points: nil)
        given.track = track
        result.faces.insert(given, at: 0)
        numbers.insert(number, at: 0)
      }
    }
    let ofCallers = Set(state.tracker.expectedFollowedBoxes(imageSize: result.imageSize).map(\.number))
    if ofCallers.isEmpty { return state.appearances = [:] }
    state.appearances = state.appearances.filter { ofCallers.contains($0.key) }
    for (face, number) in zip(result.faces, numbers)
    where ofCallers.contains(number) && !pixels.contains(face.box) {
      state.appearances[number] = try appearance(face.box)
    }
  }

  /// Removes all faces except those that were handed in.
  func keepFollowed(_ result: inout DetectionResult, _ numbers: inout [UInt64], _ state: inout State) {
    state.tracker.keepFollowed()
    let kept = Set(state.tracker.numbers)
    let indices = numbers.indices.filter { kept.contains(numbers[$0]) }
    result.faces = indices.map { result.faces[$0] }
    numbers = indices.map { numbers[$0] }
  }
}
