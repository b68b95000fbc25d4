import CProtocol
import FaceCore

/// An absent part of a face is unknown.
extension Face: WireValue {
  /// The limit for the decoded size of a message with faces, as a multiple of the encoded size. A face with
  /// everything but landmarks has about 100 bytes encoded and 900 decoded; landmarks have about equal sizes.
  static let growth = 16

  private static let measurements = FaceOutputs.table.compactMap(MeasurementField.init)

  func encode(into message: inout Faceengine__V1__Face, _ arena: Arena) {
    message.box = arena.message(box)
    message.confidence = confidence
    message.points = arena.optional(points)
    message.track = arena.optional(track)
    message.predicted = isPredicted ? 1 : 0
    message.landmarks = arena.optional(landmarks)
    for part in Face.measurements { part.encode(self, into: &message, arena) }
  }

  /// Also throws `invalidArgument` if a face has no box, or a list has the wrong length.
  init(decoding message: Faceengine__V1__Face) throws(Status) {
    guard let box = message.box?.pointee else {
      throw Status(.invalidArgument, "a face has no box; the engine at the other end is not a FaceEngine")
    }
    self.init(
      box: try Box(decoding: box, "face.box"),
      confidence: try Decoder.finite(message.confidence, "face.confidence"),
      points: try Decoder.optional(message.points))
    track = try Decoder.optional(message.track)
    isPredicted = message.predicted != 0
    landmarks = try Decoder.optional(message.landmarks)
    try withUnsafePointer(to: message) { (message) throws(Status) in
      for part in Face.measurements { try part.decode(message, into: &self) }
    }
  }
}

// generated: swift-coding FivePoints FivePoints
extension FivePoints: WireValue {
  func encode(into message: inout Faceengine__V1__FivePoints, _ arena: Arena) {
    message.left_eye = arena.message(leftEye)
    message.right_eye = arena.message(rightEye)
    message.nose_tip = arena.message(noseTip)
    message.mouth_left = arena.message(mouthLeft)
    message.mouth_right = arena.message(mouthRight)
  }

  init(decoding message: Faceengine__V1__FivePoints) throws(Status) {
    self.init(
      leftEye: try Decoder.value(message.left_eye),
      rightEye: try Decoder.value(message.right_eye),
      noseTip: try Decoder.value(message.nose_tip),
      mouthLeft: try Decoder.value(message.mouth_left),
      mouthRight: try Decoder.value(message.mouth_right))
  }
}
// end of generated

// generated: swift-coding Point Point
extension Point: WireValue {
  func encode(into message: inout Faceengine__V1__Point, _ arena: Arena) {
    message.x = x
    message.y = y
  }

  init(decoding message: Faceengine__V1__Point) throws(Status) {
    self.init(
      x: try Decoder.finite(message.x, "point.x"),
      y: try Decoder.finite(message.y, "point.y"))
  }
}
// end of generated

// generated: swift-coding Track Track
extension Track: WireValue {
  func encode(into message: inout Faceengine__V1__Track, _ arena: Arena) {
    message.id = UInt64(clamping: id)
    message.frame_count = UInt32(clamping: frameCount)
  }

  init(decoding message: Faceengine__V1__Track) throws(Status) {
    self.init(
      id: .init(clamping: message.id),
      frameCount: .init(clamping: message.frame_count))
  }
}
// end of generated

extension Landmarks: WireValue {
  func encode(into message: inout Faceengine__V1__Landmarks, _ arena: Arena) {
    (message.n_x, message.x) = arena.list(points) { $0.x }
    (message.n_y, message.y) = arena.list(points) { $0.y }
    (message.n_z, message.z) = arena.list(points) { $0.z }
    message.confidence = confidence
  }

  init(decoding message: Faceengine__V1__Landmarks) throws(Status) {
    let x = try Landmarks.numbers(message.x, message.n_x, "landmarks.x")
    let y = try Landmarks.numbers(message.y, message.n_y, "landmarks.y")
    let z = try Landmarks.numbers(message.z, message.n_z, "landmarks.z")
    self.init(
      points: x.indices.map { Point3D(x: x[$0], y: y[$0], z: z[$0]) },
      confidence: try Decoder.finite(message.confidence, "landmarks.confidence"))
  }

  private static func numbers(
    _ values: UnsafeMutablePointer<Float>?, _ count: Int, _ field: StaticString
  ) throws(Status) -> [Float] {
    guard let values, count == Landmarks.count else {
      throw Status(
        .invalidArgument, "\(field) has \(count) numbers and a face has \(Landmarks.count); send all")
    }
    let list = Array(UnsafeBufferPointer(start: values, count: count))
    for value in list { _ = try Decoder.finite(value, field) }
    return list
  }
}

extension Box: WireValue {
  func encode(into message: inout Faceengine__V1__Box, _ arena: Arena) {
    message.x = x
    message.y = y
    message.width = width
    message.height = height
  }

  init(decoding message: Faceengine__V1__Box) throws(Status) {
    try self.init(decoding: message, "box")
  }

  /// - Parameter field: the name of the box in errors.
  init(decoding message: Faceengine__V1__Box, _ field: StaticString) throws(Status) {
    self.init(
      x: try Decoder.finite(message.x, field), y: try Decoder.finite(message.y, field),
      width: try Decoder.finite(message.width, field), height: try Decoder.finite(message.height, field))
  }
}
