import CProtocol
import FaceCore

/// `Face` ↔ `FaceCore.Face`.
enum FaceCoding {
  /// A face with its points has about 80 bytes encoded and 500 decoded.
  static let growth = 8

  static func encode(_ face: Face, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Face> {
    let box = arena.message(Faceengine__V1__Box.self)
    box.pointee.x = face.box.x
    box.pointee.y = face.box.y
    box.pointee.width = face.box.width
    box.pointee.height = face.box.height
    let message = arena.message(Faceengine__V1__Face.self)
    message.pointee.box = box
    message.pointee.confidence = face.confidence
    if let points = face.points { message.pointee.points = encode(points, arena) }
    return message
  }

  private static func encode(
    _ points: FivePoints, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__FivePoints> {
    func point(_ point: Point) -> UnsafeMutablePointer<Faceengine__V1__Point> {
      let message = arena.message(Faceengine__V1__Point.self)
      message.pointee.x = point.x
      message.pointee.y = point.y
      return message
    }
    let message = arena.message(Faceengine__V1__FivePoints.self)
    message.pointee.left_eye = point(points.leftEye)
    message.pointee.right_eye = point(points.rightEye)
    message.pointee.nose_tip = point(points.noseTip)
    message.pointee.mouth_left = point(points.mouthLeft)
    message.pointee.mouth_right = point(points.mouthRight)
    return message
  }

  /// Throws `invalidArgument` when a face has no box, or a number is infinite or none.
  static func decode(_ face: Faceengine__V1__Face) throws(Status) -> Face {
    guard let box = face.box?.pointee else {
      throw Status(.invalidArgument, "a face has no box; the engine at the other end is not a FaceEngine")
    }
    return Face(
      box: Box(
        x: try Decoder.finite(box.x, "box.x"), y: try Decoder.finite(box.y, "box.y"),
        width: try Decoder.finite(box.width, "box.width"),
        height: try Decoder.finite(box.height, "box.height")),
      confidence: try Decoder.finite(face.confidence, "confidence"),
      points: try points(face.points?.pointee))
  }

  private static func points(_ message: Faceengine__V1__FivePoints?) throws(Status) -> FivePoints? {
    guard let message else { return nil }
    return FivePoints(
      leftEye: try point(message.left_eye), rightEye: try point(message.right_eye),
      noseTip: try point(message.nose_tip), mouthLeft: try point(message.mouth_left),
      mouthRight: try point(message.mouth_right))
  }

  /// A point at the origin is encoded as nothing at all.
  private static func point(
    _ message: UnsafeMutablePointer<Faceengine__V1__Point>?
  ) throws(Status) -> Point {
    guard let message = message?.pointee else { return Point(x: 0, y: 0) }
    return Point(x: try Decoder.finite(message.x, "point.x"), y: try Decoder.finite(message.y, "point.y"))
  }
}
