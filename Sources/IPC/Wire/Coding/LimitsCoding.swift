import CProtocol
import FaceCore

/// `Limits` ↔ `EngineLimits`. Limits that an older engine does not send are 0.
enum LimitsCoding {
  private static let numbers = MessageFields(EngineLimits.fields, of: Faceengine__V1__Limits.descriptor)

  static func encode(_ limits: EngineLimits, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Limits> {
    let message = arena.message(Faceengine__V1__Limits.self)
    numbers.encode(limits, into: message)
    return message
  }

  static func decode(_ message: Faceengine__V1__Limits?) -> EngineLimits {
    var limits = EngineLimits.unknown
    if let message { withUnsafePointer(to: message) { numbers.decode($0, into: &limits) } }
    return limits
  }
}
