import CProtocol
import FaceCore

/// What a `Face` has beyond its box and five points. A part that is absent is not known.
enum MeasurementCoding {
  static func encode(_ face: Face, into message: UnsafeMutablePointer<Faceengine__V1__Face>, _ arena: Arena) {
    if let track = face.track {
      let part = arena.message(Faceengine__V1__Track.self)
      part.pointee.id = track.id
      part.pointee.frame_count = track.frameCount
      message.pointee.track = part
    }
    if let pose = face.pose {
      let part = arena.message(Faceengine__V1__Pose.self)
      part.pointee.yaw = pose.yaw
      part.pointee.pitch = pose.pitch
      part.pointee.roll = pose.roll
      message.pointee.pose = part
    }
    if let eyes = face.eyes {
      let part = arena.message(Faceengine__V1__Eyes.self)
      part.pointee.left_open = eyes.leftOpen
      part.pointee.right_open = eyes.rightOpen
      message.pointee.eyes = part
    }
    if let mouth = face.mouth {
      let part = arena.message(Faceengine__V1__Mouth.self)
      part.pointee.smile = mouth.smile
      part.pointee.open = mouth.open
      message.pointee.mouth = part
    }
    if let quality = face.quality { message.pointee.quality = encode(quality, arena) }
    if let landmarks = face.landmarks { message.pointee.landmarks = encode(landmarks, arena) }
    if let expressions = face.expressions {
      (message.pointee.n_expressions, message.pointee.expressions) = arena.floats(expressions.values) { $0 }
    }
  }

  private static func encode(
    _ quality: CaptureQuality, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__CaptureQuality> {
    let part = arena.message(Faceengine__V1__CaptureQuality.self)
    part.pointee.overall = quality.overall
    part.pointee.sharpness = quality.sharpness
    part.pointee.exposure = quality.exposure
    part.pointee.size = quality.size
    part.pointee.pose = quality.pose
    part.pointee.framing = quality.framing
    return part
  }

  private static func encode(
    _ landmarks: Landmarks, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Landmarks> {
    let part = arena.message(Faceengine__V1__Landmarks.self)
    (part.pointee.n_x, part.pointee.x) = arena.floats(landmarks.points) { $0.x }
    (part.pointee.n_y, part.pointee.y) = arena.floats(landmarks.points) { $0.y }
    (part.pointee.n_z, part.pointee.z) = arena.floats(landmarks.points) { $0.z }
    part.pointee.confidence = landmarks.confidence
    return part
  }

  /// Throws `invalidArgument`, naming the field, when a number is infinite or none, or a list has the wrong length.
  static func decode(_ message: Faceengine__V1__Face, into face: inout Face) throws(Status) {
    if let track = message.track?.pointee {
      face.track = Track(id: track.id, frameCount: track.frame_count)
    }
    if let pose = message.pose?.pointee {
      face.pose = Pose(
        yaw: try Decoder.finite(pose.yaw, "pose.yaw"), pitch: try Decoder.finite(pose.pitch, "pose.pitch"),
        roll: try Decoder.finite(pose.roll, "pose.roll"))
    }
    if let eyes = message.eyes?.pointee {
      face.eyes = Eyes(
        leftOpen: try Decoder.finite(eyes.left_open, "eyes.left_open"),
        rightOpen: try Decoder.finite(eyes.right_open, "eyes.right_open"))
    }
    if let mouth = message.mouth?.pointee {
      face.mouth = Mouth(
        smile: try Decoder.finite(mouth.smile, "mouth.smile"),
        open: try Decoder.finite(mouth.open, "mouth.open"))
    }
    if let quality = message.quality?.pointee { face.quality = try decode(quality) }
    if let landmarks = message.landmarks?.pointee { face.landmarks = try decode(landmarks) }
    if message.n_expressions > 0 {
      let values = try list(message.expressions, message.n_expressions, Expressions.count, "expressions")
      face.expressions = Expressions(values: values)
    }
  }

  private static func decode(_ quality: Faceengine__V1__CaptureQuality) throws(Status) -> CaptureQuality {
    CaptureQuality(
      overall: try Decoder.finite(quality.overall, "quality.overall"),
      sharpness: try Decoder.finite(quality.sharpness, "quality.sharpness"),
      exposure: try Decoder.finite(quality.exposure, "quality.exposure"),
      size: try Decoder.finite(quality.size, "quality.size"),
      pose: try Decoder.finite(quality.pose, "quality.pose"),
      framing: try Decoder.finite(quality.framing, "quality.framing"))
  }

  private static func decode(_ landmarks: Faceengine__V1__Landmarks) throws(Status) -> Landmarks {
    let x = try list(landmarks.x, landmarks.n_x, Landmarks.count, "landmarks.x")
    let y = try list(landmarks.y, landmarks.n_y, Landmarks.count, "landmarks.y")
    let z = try list(landmarks.z, landmarks.n_z, Landmarks.count, "landmarks.z")
    return Landmarks(
      points: x.indices.map { Point3D(x: x[$0], y: y[$0], z: z[$0]) },
      confidence: try Decoder.finite(landmarks.confidence, "landmarks.confidence"))
  }

  /// So many finite numbers.
  private static func list(
    _ values: UnsafeMutablePointer<Float>?, _ count: Int, _ expected: Int, _ field: StaticString
  ) throws(Status) -> [Float] {
    guard let values, count == expected else {
      throw Status(.invalidArgument, "\(field) has \(count) numbers and a face has \(expected); send all")
    }
    let list = Array(UnsafeBufferPointer(start: values, count: count))
    for value in list { _ = try Decoder.finite(value, field) }
    return list
  }
}

extension Arena {
  /// A repeated field of numbers: how many there are, and where.
  fileprivate func floats<Element>(
    _ elements: [Element], _ value: (Element) -> Float
  ) -> (Int, UnsafeMutablePointer<Float>) {
    let list = allocate(Float.self, count: elements.count)
    for (index, element) in elements.enumerated() { list[index] = value(element) }
    return (elements.count, list)
  }
}
