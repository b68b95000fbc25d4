import CProtocol
import FaceCore

/// `Face` ↔ `FaceCore.Face`. `MeasurementCoding` covers everything beyond box and points.
enum FaceCoding {
  /// The limit for the decoded size of a message with faces, as a multiple of the encoded size. A face with
  /// everything but landmarks has about 100 bytes encoded and 900 decoded; landmarks have about equal sizes.
  static let growth = 16

  static func encode(_ face: Face, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Face> {
    let message = arena.message(Faceengine__V1__Face.self)
    message.pointee.box = BoxCoding.encode(face.box, arena)
    message.pointee.confidence = face.confidence
    if let points = face.points { message.pointee.points = encode(points, arena) }
    MeasurementCoding.encode(face, into: message, arena)
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

  /// Throws `invalidArgument` if a face has no box, or a number is not finite.
  static func decode(_ message: Faceengine__V1__Face) throws(Status) -> Face {
    guard let box = message.box?.pointee else {
      throw Status(.invalidArgument, "a face has no box; the engine at the other end is not a FaceEngine")
    }
    var face = Face(
      box: try BoxCoding.decode(box, "face.box"),
      confidence: try Decoder.finite(message.confidence, "face.confidence"),
      points: try points(message.points?.pointee))
    try MeasurementCoding.decode(message, into: &face)
    return face
  }

  private static func points(_ message: Faceengine__V1__FivePoints?) throws(Status) -> FivePoints? {
    guard let message else { return nil }
    return FivePoints(
      leftEye: try point(message.left_eye), rightEye: try point(message.right_eye),
      noseTip: try point(message.nose_tip), mouthLeft: try point(message.mouth_left),
      mouthRight: try point(message.mouth_right))
  }

  /// Decodes a point. A point at the origin is encoded with no bytes at all.
  private static func point(
    _ message: UnsafeMutablePointer<Faceengine__V1__Point>?
  ) throws(Status) -> Point {
    guard let message = message?.pointee else { return Point(x: 0, y: 0) }
    return Point(x: try Decoder.finite(message.x, "point.x"), y: try Decoder.finite(message.y, "point.y"))
  }
}

/// `Box` ↔ `FaceCore.Box`.
enum BoxCoding {
  static func encode(_ box: Box, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Box> {
    let message = arena.message(Faceengine__V1__Box.self)
    message.pointee.x = box.x
    message.pointee.y = box.y
    message.pointee.width = box.width
    message.pointee.height = box.height
    return message
  }

  /// Throws `invalidArgument` if a number is not finite.
  static func decode(_ box: Faceengine__V1__Box, _ field: StaticString) throws(Status) -> Box {
    Box(
      x: try Decoder.finite(box.x, field), y: try Decoder.finite(box.y, field),
      width: try Decoder.finite(box.width, field), height: try Decoder.finite(box.height, field))
  }
}
