package import FaceCore
package import Posix
import Wire

/// Executes the calls with the detector and its models. Safe to use from any thread.
///
/// It knows nothing of connections or encodings; see `CallHandler` for those.
package final class DetectorService: Sendable {
  /// The version of face_engine.proto.
  static let protocolVersion: UInt32 = 1
  static let features = [
    "detect.inline", "detect.batch", "detect.watch", "detect.tracking", "detect.check", "detect.shared",
    "health.check",
    "health.watch", "admin.info", "admin.stats", "admin.models", "admin.describe",
  ]

  let detector: any FaceDetector
  let models: any ModelProvider
  private let version: String
  let limits: EngineLimits
  private let drainTimeout: TimeSpan
  private let sandbox: [String]
  package let statistics: Statistics
  package let health: Health
  let decoders: (any FileDecoders)?
  let memory: MemoryBudget

  /// - Parameters:
  ///   - drainTimeout: the time to drain.
  ///   - sandbox: the restrictions that the process has put on itself.
  ///   - isBlocked: see `Health`.
  package init(
    detector: any FaceDetector, models: any ModelProvider, version: String, limits: EngineLimits,
    drainTimeout: TimeSpan, sandbox: [String], statistics: Statistics, decoders: (any FileDecoders)? = nil,
    memory: MemoryBudget = .ofProcess,
    isBlocked: @escaping @Sendable () -> Bool
  ) {
    self.detector = detector
    self.models = models
    health = Health(models, isBlocked: isBlocked)
    self.version = version
    self.limits = limits
    self.drainTimeout = drainTimeout
    self.sandbox = sandbox
    self.statistics = statistics
    self.decoders = decoders
    self.memory = memory
  }

  /// Throws `unimplemented` if the detector only supports single images, `invalidArgument` for a wrong
  /// option.
  func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker {
    guard let detector = detector as? any TrackingDetector else {
      throw Status(.unimplemented, "this engine does not track faces; leave `tracking` out")
    }
    return try detector.makeTracker(options)
  }

  /// Throws `unimplemented` if the detector does not support guided checks, `invalidArgument` for a wrong
  /// option.
  func makeChecker(_ options: CheckOptions, _ tracking: TrackingOptions) throws(Status) -> any FrameChecker {
    guard let detector = detector as? any CheckingDetector else {
      throw Status(.unimplemented, "this engine does no guided checks; use Watch")
    }
    // An eighth is reserved for the faces of the frame and the rest of the message.
    let largest = min(limits.maxMessageBytes, FrameHeader.maxLength)
    return try detector.makeChecker(options, tracking, maxPictureBytes: largest / 8 * 7)
  }

  /// The status of a service. Throws `notFound`, listing the services, for an unknown one, as in gRPC's
  /// health protocol.
  func health(of service: String) throws(Status) -> ServingStatus {
    guard service.isEmpty || Method.services.contains(service) else {
      throw Status(
        .notFound,
        "there is no service \(service.quoted); this engine has \(Method.services.joined(separator: ", "))")
    }
    return health.status
  }

  /// Reloads models. Throws `permissionDenied` unless the caller could replace the engine anyway.
  func reloadModels(named name: String, for caller: Peer) throws(Status) -> [ModelInfo] {
    guard caller.mayAdminister(processOf: CurrentProcess.user) else {
      throw Status(
        .permissionDenied,
        "uid \(caller.user) may not reload models; only root and the engine's own user, uid \(CurrentProcess.user), may"
      )
    }
    let reloaded = try models.reloadModels(named: name)
    health.record(nil)
    return reloaded
  }

  /// Reloads all models for the engine itself.
  /// - Returns: the error; `nil` on success.
  package func reloadModels() -> Status? {
    do throws(Status) {
      _ = try models.reloadModels(named: "")
    } catch {
      return error
    }
    health.record(nil)
    return nil
  }

  /// Frees what calls left for the next ones, which do not come.
  func releaseUnusedMemory() {
    models.releaseUnusedMemory(beyond: .forOneCall)
    CurrentProcess.returnFreedMemory()
  }

  /// Frees what busier times left, while calls go on.
  /// - Parameter hasCalmed: whether the load has fallen: then malloc keeps more than calls need now, too.
  func releaseMemoryOfBusierTimes(hasCalmed: Bool) {
    let isFreed = models.releaseUnusedMemory(beyond: .usedSince)
    if isFreed || hasCalmed { CurrentProcess.returnFreedMemory() }
  }

  /// Releases memory that an idle engine does not need.
  /// - Returns: whether models were loaded.
  func releaseModels() -> Bool {
    let wereLoaded = models.releaseModels()
    // Each time, since calls that need no model allocate memory as well.
    CurrentProcess.releaseMemory()
    guard wereLoaded else { return false }
    statistics.count { $0.modelReleases += 1 }
    return true
  }

  /// Throws `failedPrecondition` if the two sides have no version in common.
  func hello(_ request: HelloRequest) throws(Status) -> HelloResponse {
    guard request.minVersion <= Self.protocolVersion, Self.protocolVersion <= request.maxVersion else {
      throw Status(
        .failedPrecondition,
        "this engine speaks version \(Self.protocolVersion) of the protocol, but the client "
          + "\(request.minVersion) to \(request.maxVersion); install versions that match")
    }
    return HelloResponse(
      version: Self.protocolVersion, engineVersion: version,
      features: Set(request.features.compactMap(Feature.init(rawValue:))), limits: engineLimits)
  }

  private var engineLimits: EngineLimits {
    var told = limits
    told.drainTimeout = drainTimeout
    return told
  }

  func info() -> EngineInfo {
    EngineInfo(
      version: version, protocolVersion: Int(Self.protocolVersion), models: models.models,
      limits: engineLimits, features: Self.features, sandbox: sandbox,
      hasReleasedModels: models.hasReleasedModels)
  }
}
