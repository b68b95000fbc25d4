import CProtocol
import FaceCore

/// `DetectResponse` ↔ `DetectionResult`.
enum ResultCoding {
  static func encode(
    _ result: DetectionResult, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__DetectResponse> {
    let response = arena.message(Faceengine__V1__DetectResponse.self)
    response.pointee.width = UInt32(clamping: result.imageSize.width)
    response.pointee.height = UInt32(clamping: result.imageSize.height)
    let faces = arena.allocate(UnsafeMutablePointer<Faceengine__V1__Face>?.self, count: result.faces.count)
    for (index, face) in result.faces.enumerated() { faces[index] = FaceCoding.encode(face, arena) }
    response.pointee.n_faces = result.faces.count
    response.pointee.faces = faces
    return response
  }

  /// Throws `invalidArgument` when a face has no box, or a number is infinite or none.
  static func decode(_ response: Faceengine__V1__DetectResponse) throws(Status) -> DetectionResult {
    var faces: [Face] = []
    faces.reserveCapacity(response.n_faces)
    for index in 0..<response.n_faces {
      guard let face = response.faces[index] else { continue }
      faces.append(try FaceCoding.decode(face.pointee))
    }
    let size = PixelSize(width: Int(response.width), height: Int(response.height))
    return DetectionResult(imageSize: size, faces: faces)
  }
}

/// `Failure` ↔ `Status`.
enum FailureCoding {
  static func encode(_ status: Status, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Failure> {
    let failure = arena.message(Faceengine__V1__Failure.self)
    failure.pointee.code = status.code.rawValue
    failure.pointee.message = arena.string(FailedCall.sentence(status.message))
    return failure
  }

  /// Throws `invalidArgument` when the message is not text.
  static func decode(_ failure: Faceengine__V1__Failure) throws(Status) -> Status {
    Status(
      StatusCode(rawValue: failure.code) ?? .unknown, try Decoder.text(failure.message, "failure.message"))
  }
}
