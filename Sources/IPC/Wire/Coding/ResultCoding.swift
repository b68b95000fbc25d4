import CProtocol
import FaceCore

// generated: swift-coding DetectionResult DetectResponse assigned width=imageSize.width height=imageSize.height
extension DetectionResult: WireValue {
  func encode(into message: inout Faceengine__V1__DetectResponse, _ arena: Arena) {
    message.width = UInt32(clamping: imageSize.width)
    message.height = UInt32(clamping: imageSize.height)
    (message.n_faces, message.faces) = arena.list(faces)
    (message.n_models, message.models) = arena.list(models)
    message.unanalysed_faces = UInt32(clamping: unanalysedFaces)
  }

  init(decoding message: Faceengine__V1__DetectResponse) throws(Status) {
    self.init()
    imageSize.width = .init(clamping: message.width)
    imageSize.height = .init(clamping: message.height)
    faces = try Decoder.list(message.faces, message.n_faces)
    models = try Decoder.list(message.models, message.n_models)
    unanalysedFaces = .init(clamping: message.unanalysed_faces)
  }
}
// end of generated

extension DetectionResult {
  fileprivate init() {
    self.init(imageSize: PixelSize(width: 0, height: 0), faces: [])
  }
}

extension Status: WireValue {
  func encode(into message: inout Faceengine__V1__Failure, _ arena: Arena) {
    message.code = code.rawValue
    message.message = arena.string(FailedCall.sentence(self.message))
  }

  init(decoding message: Faceengine__V1__Failure) throws(Status) {
    self.init(
      StatusCode(rawValue: message.code) ?? .unknown, try Decoder.text(message.message, "failure.message"))
  }
}
