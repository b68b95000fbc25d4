import CFaceEngine
import CallerABI
import FaceCore

extension Face {
  /// Reads a caller's face. Throws `invalidArgument`.
  init(reading pointer: UnsafePointer<face_info>?, _ name: String) throws(Status) {
    let value = try VersionedStruct.read(pointer, name: name)
    self.init(value)
  }

  /// The measurements that can be drawn.
  private init(_ value: face_info) {
    self.init(box: Box(value.box), confidence: value.confidence, points: nil)
    if value.valid & UInt32(FACE_VALID_POINTS) != 0 {
      points = FivePoints(
        leftEye: Point(value.left_eye), rightEye: Point(value.right_eye), noseTip: Point(value.nose_tip),
        mouthLeft: Point(value.mouth_left), mouthRight: Point(value.mouth_right))
    }
    if value.valid & UInt32(FACE_VALID_ID) != 0 {
      track = Track(id: value.id, frameCount: value.frame_count)
    }
    if value.valid & UInt32(FACE_VALID_POSE) != 0 {
      pose = Pose(yaw: value.yaw, pitch: value.pitch, roll: value.roll)
    }
  }

  /// Reads a caller's array. All elements have the size stored in the first one: those of an older program
  /// are shorter.
  static func array(_ pointer: UnsafePointer<face_info>?, _ count: UInt32) throws(Status) -> [Face] {
    guard count > 0 else { return [] }
    guard let pointer else {
      throw Status(.invalidArgument, "faces is NULL, but count is \(count); pass the faces")
    }
    guard count <= maxFaces else {
      throw Status(.invalidArgument, "count is \(count); give at most \(maxFaces) faces")
    }
    let value = try VersionedStruct.read(pointer, name: "faces")
    let (start, step) = (UnsafeRawPointer(pointer), Int(value.struct_size))
    var faces: [Face] = []
    faces.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      let element = (start + index * step).assumingMemoryBound(to: face_info.self)
      faces.append(try Face(reading: element, "faces[\(index)]"))
      guard element.pointee.struct_size == value.struct_size else {
        throw Status(
          .invalidArgument,
          "faces[\(index)].struct_size differs from that of faces[0]; call face_info_init on each face")
      }
    }
    return faces
  }

  /// More faces than any result has.
  private static let maxFaces: UInt32 = 100_000
}

extension ImageInput {
  /// Reads a caller's image without its region. Throws `invalidArgument` or `outOfRange`, naming the member.
  init(reading pointer: UnsafePointer<face_image>?, _ name: String) throws(Status) {
    let value = try VersionedStruct.read(pointer, name: name)
    guard value.memory == nil else {
      throw Status(
        .invalidArgument,
        "\(name)->memory belongs to libfaceengine; give the address of its mapping in planes")
    }
    try self.init(value, in: nil)
    region = nil
  }
}
