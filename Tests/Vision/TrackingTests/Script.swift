import FaceCore
import Tracking

/// A scripted scene: the tracker gets the boxes of faces without their identities.
struct Script {
  var tracker: FaceAssociator
  var size = PixelSize(width: 640, height: 480)
  /// The ids reported as left so far.
  private(set) var left: [UInt64] = []

  /// - Parameter minHits: with 1, every face has an id at once.
  init(maxMissedFrames: Int = 5, minHits: Int = 1) throws {
    var options = TrackingOptions()
    options.maxMissedFrames = maxMissedFrames
    options.minHits = minHits
    tracker = try FaceAssociator(options)
  }

  /// Processes one frame with these faces, and returns the id of each, 0 for one without an id.
  /// - Parameter appearance: the appearance of a box, whatever its size; `nil` if unknown.
  mutating func frame(_ faces: [Face], appearance: (Box) -> FaceAppearance? = { _ in nil }) -> [UInt64] {
    let update = tracker.update(faces, imageSize: size, minConfidence: 0.6, appearance: appearance)
    left += update.left
    return faces.map { face in update.faces.first { $0.box == face.box }?.track?.id ?? 0 }
  }

  /// A face with the usual proportions.
  static func face(_ x: Float, _ y: Float, _ side: Float = 60, confidence: Float = 0.9) -> Face {
    let box = Box(x: x - side / 2, y: y - side * 0.6, width: side, height: side * 1.2)
    return Face(box: box, confidence: confidence, points: nil)
  }

  /// The appearance of a person's face.
  static func appearance(of person: Int) -> FaceAppearance? { MadeUpFace(seed: person).appearance }
}

extension FaceAssociator {
  /// Updates a tracker that is not asked to know faces again.
  mutating func update(
    _ faces: [Face], imageSize: PixelSize, minConfidence: Float, appearance: (Box) -> FaceAppearance?
  ) -> Update {
    update(
      faces, imageSize: imageSize, minConfidence: minConfidence, appearance: appearance, aligned: { _ in nil }
    )
  }
}
