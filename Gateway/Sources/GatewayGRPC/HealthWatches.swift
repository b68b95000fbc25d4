import EngineLink
import FaceCore
import GatewayCoding
import NIOCore
import Wire

/// The services whose health clients watch. The engine has one stream for each, whoever asks, so that health checks,
/// which need no token, take no more streams than it has services. Used on the link's event loop.
final class HealthWatches {
  fileprivate static let retryInterval = TimeAmount.seconds(1)

  fileprivate let link: EngineLink
  /// The gateway's own services, which serve while the engine does.
  private let own: Set<String>
  private var watched: [WatchedHealth.Subject: WatchedHealth] = [:]

  init(link: EngineLink, own: Set<String>) {
    self.link = link
    self.own = own
  }

  /// Tells a client the states of its service until `WatchedHealth.leave`.
  func join(_ client: HealthWatch, _ services: ServiceDescriptors? = nil) {
    // One may have gone while others were told.
    if client.isWatching { health(of: subject(client.service, services)).join(client) }
  }

  /// - Parameter services: those of the engine; `nil` if they are not known.
  private func subject(_ name: String, _ services: ServiceDescriptors?) -> WatchedHealth.Subject {
    if name.isEmpty || own.contains(name) { return .service("") }
    guard let services else { return .unknown }
    return .service(services.services.contains(name) ? name : Self.missing)
  }

  /// All that the engine does not have are watched as this one.
  private static let missing = "a service that the engine does not have"

  private func health(of subject: WatchedHealth.Subject) -> WatchedHealth {
    if let health = watched[subject] { return health }
    let health = WatchedHealth(subject, self)
    watched[subject] = health
    return health
  }

  fileprivate func ended(_ health: WatchedHealth) {
    if watched[health.subject] === health { watched[health.subject] = nil }
  }
}

/// The health of one service, as the engine tells it, and the clients that it is passed on to.
///
/// If the engine goes, it is NOT_SERVING. A little later the clients begin anew, since another engine may have other
/// services.
final class WatchedHealth: EngineStreamReceiver {
  enum Subject: Hashable {
    /// Services that the engine may or may not have: its description has not come yet.
    case unknown
    case service(String)
  }

  let subject: Subject
  private let owner: HealthWatches
  private var clients: [ObjectIdentifier: HealthWatch] = [:]
  private var hasBegun = false
  private var stream: EngineStream?
  private var retry: Scheduled<Void>?
  private var state: ByteBuffer?

  fileprivate init(_ subject: Subject, _ owner: HealthWatches) {
    self.subject = subject
    self.owner = owner
  }

  fileprivate func join(_ client: HealthWatch) {
    clients[ObjectIdentifier(client)] = client
    client.health = self
    if let state { client.healthChanged(state) }
    if hasBegun { return }
    hasBegun = true
    begin()
  }

  func leave(_ client: HealthWatch) {
    guard clients.removeValue(forKey: ObjectIdentifier(client)) != nil else { return }
    client.health = nil
    if clients.isEmpty { end() }
  }

  private func begin() {
    switch subject {
    case .unknown:
      owner.link.services { [weak self] result in
        switch result {
        case .success(let services): self?.renew(services)
        case .failure(let failure): self?.streamEnded(failure)
        }
      }
    case .service(let name):
      let payload = EngineMessage(ByteBuffer(bytes: HealthCall.payload(name)))
      let opened = owner.link.open(EngineRequest(.healthWatch, payload: payload, kind: .answers), self)
      if clients.isEmpty { opened.cancel() } else { stream = opened }
    }
  }

  /// Stops, and gives up its clients.
  @discardableResult
  private func end() -> [HealthWatch] {
    owner.ended(self)
    stream.take()?.cancel()
    retry.take()?.cancel()
    let last = clients.values.map { $0 }
    clients = [:]
    for client in last { client.health = nil }
    return last
  }

  /// Has its clients begin anew.
  private func renew(_ services: ServiceDescriptors? = nil) {
    for client in end() { owner.join(client, services) }
  }

  private func tell(_ state: ByteBuffer) {
    self.state = state
    for client in clients.values { client.healthChanged(state) }
  }

  // MARK: From the engine

  func streamReceived(_ state: ByteBuffer) {
    tell(state)
    stream?.delivered()
  }

  func streamSent(_ byteCount: Int) {}

  func streamHasRoom() {}

  func streamEnded(_ failure: CallFailure?) {
    if let failure, failure.status.code != .unavailable {
      for client in end() { client.healthFailed(failure) }
      return
    }
    if failure != nil { tell(HealthService.notServing) }
    if clients.isEmpty { return }
    retry = owner.link.loop.assumeIsolated().scheduleTask(in: HealthWatches.retryInterval) { [weak self] in
      self?.renew()
    }
  }
}
