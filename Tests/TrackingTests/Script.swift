import FaceCore
import Tracking

/// A scene in which people move as they are told to; the tracker sees their boxes, never their names.
struct Script {
  var tracker: Tracker
  var size = PixelSize(width: 640, height: 480)
  /// Everything said to have left so far.
  private(set) var left: [UInt64] = []

  init(maxMissedFrames: Int = 5) throws {
    var options = TrackingOptions()
    options.maxMissedFrames = maxMissedFrames
    tracker = try Tracker(options)
  }

  /// One frame with these faces; the id of each, 0 for one that has none.
  mutating func frame(_ faces: [Face]) -> [UInt64] {
    let update = tracker.update(faces, imageSize: size, minConfidence: 0.6)
    left += update.left
    return faces.map { face in update.faces.first { $0.box == face.box }?.track?.id ?? 0 }
  }

  /// A face of a usual shape.
  /// - Parameter eyes: height of the eyes in the box, which tells people apart.
  static func face(
    _ x: Float, _ y: Float, _ side: Float = 60, confidence: Float = 0.9, eyes: Float = 0.35
  ) -> Face {
    let box = Box(x: x - side / 2, y: y - side * 0.6, width: side, height: side * 1.2)
    func point(_ across: Float, _ down: Float) -> Point {
      Point(x: box.x + box.width * across, y: box.y + box.height * down)
    }
    return Face(
      box: box, confidence: confidence,
      points: FivePoints(
        leftEye: point(0.7, eyes), rightEye: point(0.3, eyes), noseTip: point(0.5, eyes + 0.2),
        mouthLeft: point(0.65, eyes + 0.4), mouthRight: point(0.35, eyes + 0.4)))
  }
}
