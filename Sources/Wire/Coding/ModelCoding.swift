import CProtocol
import FaceCore

/// `Model` ↔ `ModelInfo`.
enum ModelCoding {
  static func encode(_ model: ModelInfo, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Model> {
    let message = arena.message(Faceengine__V1__Model.self)
    message.pointee.name = arena.string(model.name)
    message.pointee.family = arena.string(model.family)
    message.pointee.licence = arena.string(model.licence)
    message.pointee.role = arena.string(model.role)
    message.pointee.engine = arena.string(model.engine)
    return message
  }

  /// Throws `invalidArgument` when a name is no text.
  static func decode(_ message: Faceengine__V1__Model) throws(Status) -> ModelInfo {
    ModelInfo(
      name: try Decoder.text(message.name, "model.name"),
      family: try Decoder.text(message.family, "model.family"),
      licence: try Decoder.text(message.licence, "model.licence"),
      role: try Decoder.text(message.role, "model.role"),
      engine: try Decoder.text(message.engine, "model.engine"))
  }
}
