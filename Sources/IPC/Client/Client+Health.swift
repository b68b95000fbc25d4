public import FaceCore
public import Wire

/// Queries of the engine's health.
extension Client {
  /// Returns whether calls are served.
  /// - Parameter service: the full name, as in "faceengine.v1.Detector"; empty for the engine as a whole.
  public func health(of service: String = "") throws(Status) -> ServingStatus {
    let header = CallHeader(stream: 0, timeout: options.timeout)
    let frame = try HealthCall.requestFrame(header, service: service)
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try HealthCall.response(payload) }
  }
}
