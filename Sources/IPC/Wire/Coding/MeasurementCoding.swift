import CProtocol
import FaceCore

/// The measurements of a `Face`, beyond its box and five points. An absent part is unknown.
enum MeasurementCoding {
  private static let parts = FaceOutputs.table.compactMap(MeasurementField.init)

  static func encode(_ face: Face, into message: UnsafeMutablePointer<Faceengine__V1__Face>, _ arena: Arena) {
    if let track = face.track {
      let part = arena.message(Faceengine__V1__Track.self)
      part.pointee.id = track.id
      part.pointee.frame_count = track.frameCount
      message.pointee.track = part
    }
    message.pointee.predicted = face.isPredicted ? 1 : 0
    if let landmarks = face.landmarks { message.pointee.landmarks = encode(landmarks, arena) }
    for part in parts { part.encode(face, into: message, arena) }
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

  /// Throws `invalidArgument`, naming the field, if a number is not finite or a list has the wrong length.
  static func decode(_ message: Faceengine__V1__Face, into face: inout Face) throws(Status) {
    if let track = message.track?.pointee {
      face.track = Track(id: track.id, frameCount: track.frame_count)
    }
    face.isPredicted = message.predicted != 0
    if let landmarks = message.landmarks?.pointee { face.landmarks = try decode(landmarks) }
    try withUnsafePointer(to: message) { (message) throws(Status) in
      for part in parts { try part.decode(message, into: &face) }
    }
  }

  private static func decode(_ landmarks: Faceengine__V1__Landmarks) throws(Status) -> Landmarks {
    let x = try list(landmarks.x, landmarks.n_x, Landmarks.count, "landmarks.x")
    let y = try list(landmarks.y, landmarks.n_y, Landmarks.count, "landmarks.y")
    let z = try list(landmarks.z, landmarks.n_z, Landmarks.count, "landmarks.z")
    return Landmarks(
      points: x.indices.map { Point3D(x: x[$0], y: y[$0], z: z[$0]) },
      confidence: try Decoder.finite(landmarks.confidence, "landmarks.confidence"))
  }

  /// Decodes a list of `expected` finite numbers.
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
  /// Makes a repeated field of numbers: its count and pointer.
  fileprivate func floats<Element>(
    _ elements: [Element], _ value: (Element) -> Float
  ) -> (Int, UnsafeMutablePointer<Float>) {
    let list = allocate(Float.self, count: elements.count)
    for (index, element) in elements.enumerated() { list[index] = value(element) }
    return (elements.count, list)
  }
}
