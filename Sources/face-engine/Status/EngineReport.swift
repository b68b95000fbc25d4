import Client
import FaceCore
import Wire

/// All that an engine tells of itself.
struct EngineReport {
  let socket: String
  let health: ServingStatus
  let info: EngineInfo
  let models: [ListedModel]
  let stats: EngineStats

  /// Throws what the calls throw.
  init(_ client: Client) throws(Status) {
    socket = client.socket
    health = try client.health()
    info = try client.info()
    // A stopping engine lists no models, and tells those it has.
    models =
      (try? client.listModels())
      ?? info.models.map { ListedModel($0, title: "", isLoaded: true) }
    stats = try client.stats()
  }

  /// Those that the engine tells, each with its name on the wire.
  var limits: [(name: String, value: Int)] {
    let limits = info.limits
    return [
      ("max_message_bytes", limits.maxMessageBytes), ("calls_per_connection", limits.callsPerConnection),
      ("connections_per_user", limits.connectionsPerUser), ("min_image_side", limits.minImageSide),
      ("max_image_side", limits.maxImageSide),
      ("batch_images", limits.batchImages), ("streams_per_connection", limits.streamsPerConnection),
      ("buffers_per_connection", limits.buffersPerConnection),
      ("mapped_bytes_per_user", limits.mappedBytesPerUser), ("frame_credit", limits.frameCredit),
      ("checks_per_user", limits.checksPerUser),
      ("drain_timeout_ns", Int(limits.drainTimeout)),
    ].filter { $0.1 > 0 }
  }
}
