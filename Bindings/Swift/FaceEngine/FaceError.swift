package import CFaceEngine

/// A call that failed: what was wrong, and what to do about it.
public struct FaceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One of gRPC's codes: ``Status/cancelled`` if the task was cancelled, ``Status/unavailable`` if an engine stopped.
  public let code: Status
  /// One sentence.
  public let message: String

  /// For a source of frames that fails as this library does.
  public init(_ code: Status, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ status: face_status, _ message: UnsafePointer<CChar>?) {
    self.init(Status(rawValue: status) ?? .unknown, message.map { String(cString: $0) } ?? "")
  }

  public var description: String { "\(code): \(message)" }

  static let cancelled = FaceError(.cancelled, "the task was cancelled")
}

/// Throws the failure of a call that this thread has just made.
package func check(
  _ status: face_status, _ message: () -> UnsafePointer<CChar>? = { face_last_error() }
) throws(FaceError) {
  guard status != Status.ok.rawValue else { return }
  throw FaceError(status, message())
}

extension Image {
  /// The turn that makes a camera's pixels upright.
  /// - Parameters:
  ///   - sensor: 0, 90, 180 or 270 degrees clockwise: the turn while the device is in its normal position.
  ///   - device: 0, 90, 180 or 270 degrees clockwise: how far the device was turned from there.
  ///   - facesUser: whether it is a front camera.
  public static func orientation(
    ofCamera sensor: Int, device: Int = 0, facesUser: Bool = false
  ) throws(FaceError) -> Orientation {
    var orientation = Orientation.default.rawValue
    try check(
      face_orientation_of_camera(
        try number(sensor, "sensor"), try number(device, "device"), facesUser ? 1 : 0, &orientation))
    return Orientation(rawValue: orientation) ?? .default
  }
}
