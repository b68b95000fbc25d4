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
    (response.pointee.n_models, response.pointee.models) = arena.list(result.models) {
      ModelIdentityCoding.encode($0, arena)
    }
    response.pointee.unanalysed_faces = UInt32(clamping: result.unanalysedFaces)
    return response
  }

  /// Throws `invalidArgument` if a face has no box, or a number is not finite.
  static func decode(_ response: Faceengine__V1__DetectResponse) throws(Status) -> DetectionResult {
    var faces: [Face] = []
    faces.reserveCapacity(response.n_faces)
    for index in 0..<response.n_faces {
      guard let face = response.faces[index] else { continue }
      faces.append(try FaceCoding.decode(face.pointee))
    }
    let size = PixelSize(width: Int(response.width), height: Int(response.height))
    var result = DetectionResult(imageSize: size, faces: faces)
    for index in 0..<response.n_models {
      guard let model = response.models[index] else { continue }
      result.models.append(try ModelIdentityCoding.decode(model.pointee))
    }
    result.unanalysedFaces = Int(response.unanalysed_faces)
    return result
  }
}

/// `ModelIdentity` ↔ FaceCore's.
enum ModelIdentityCoding {
  static func encode(
    _ model: ModelIdentity, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__ModelIdentity> {
    let message = arena.message(Faceengine__V1__ModelIdentity.self)
    message.pointee.name = arena.string(model.name)
    message.pointee.revision = UInt32(clamping: model.revision)
    message.pointee.weights_sha256 = arena.bytes(model.weightsHash)
    return message
  }

  /// Throws `invalidArgument` if the name is not valid text.
  static func decode(_ message: Faceengine__V1__ModelIdentity) throws(Status) -> ModelIdentity {
    ModelIdentity(
      name: try Decoder.text(message.name, "models.name"), revision: Int(message.revision),
      weightsHash: Decoder.bytes(message.weights_sha256))
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

  /// Throws `invalidArgument` if the message is not valid text.
  static func decode(_ failure: Faceengine__V1__Failure) throws(Status) -> Status {
    Status(
      StatusCode(rawValue: failure.code) ?? .unknown, try Decoder.text(failure.message, "failure.message"))
  }
}
