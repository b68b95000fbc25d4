import CProtocol
import FaceCore

/// `Limits` ↔ `EngineLimits`. What an older engine does not tell is 0.
enum LimitsCoding {
  static func encode(_ limits: EngineLimits, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Limits> {
    let message = arena.message(Faceengine__V1__Limits.self)
    message.pointee.max_message_bytes = UInt32(clamping: limits.maxMessageBytes)
    message.pointee.calls_per_connection = UInt32(clamping: limits.callsPerConnection)
    message.pointee.connections_per_user = UInt32(clamping: limits.connectionsPerUser)
    message.pointee.min_image_side = UInt32(clamping: limits.minImageSide)
    message.pointee.max_image_side = UInt32(clamping: limits.maxImageSide)
    message.pointee.batch_images = UInt32(clamping: limits.batchImages)
    message.pointee.streams_per_connection = UInt32(clamping: limits.streamsPerConnection)
    message.pointee.buffers_per_connection = UInt32(clamping: limits.buffersPerConnection)
    message.pointee.mapped_bytes_per_user = UInt64(clamping: limits.mappedBytesPerUser)
    message.pointee.frame_credit = UInt32(clamping: limits.frameCredit)
    message.pointee.drain_timeout_ns = UInt64(clamping: limits.drainTimeout)
    message.pointee.checks_per_user = UInt32(clamping: limits.checksPerUser)
    return message
  }

  static func decode(_ limits: Faceengine__V1__Limits?) -> EngineLimits {
    EngineLimits(
      maxMessageBytes: Int(limits?.max_message_bytes ?? 0),
      callsPerConnection: Int(limits?.calls_per_connection ?? 0),
      connectionsPerUser: Int(limits?.connections_per_user ?? 0),
      minImageSide: Int(limits?.min_image_side ?? 0),
      maxImageSide: Int(limits?.max_image_side ?? 0),
      batchImages: Int(limits?.batch_images ?? 0),
      streamsPerConnection: Int(limits?.streams_per_connection ?? 0),
      buffersPerConnection: Int(limits?.buffers_per_connection ?? 0),
      mappedBytesPerUser: Int(clamping: limits?.mapped_bytes_per_user ?? 0),
      frameCredit: Int(limits?.frame_credit ?? 0),
      drainTimeout: Int64(clamping: limits?.drain_timeout_ns ?? 0),
      checksPerUser: Int(limits?.checks_per_user ?? 0))
  }
}
