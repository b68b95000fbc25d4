package import EngineLink
package import FaceCore
package import GatewayServing
import NIOCore
import Synchronization

/// The sessions of HTTP callers, by ids that cannot be guessed. Sessions without frames end after a while; those of a
/// caller whose token is no longer valid end at once.
package final class SessionStore: Sendable {
  static let unknown = Status(.notFound, "there is no such session, or it has ended; begin another one")

  private let calls: FaceCalls
  private let counters: GatewayCounters
  private let credentials: CredentialStore
  private let idleTimeout: Int
  private let most: Int
  private let sessions = Mutex<[String: Session]>([:])
  /// Whether sessions have freed pictures since memory was last returned.
  private let hasFreed = Atomic(false)

  package init(
    _ calls: FaceCalls, _ counters: GatewayCounters, _ credentials: CredentialStore, idleTimeout: Int, most: Int
  ) {
    self.calls = calls
    self.counters = counters
    self.credentials = credentials
    self.idleTimeout = idleTimeout
    self.most = most
  }

  package var count: Int { sessions.withLock { $0.count } }

  package func open(_ request: SessionRequest, _ opener: Caller) throws(Status) -> Session {
    let session = Session(
      id: SessionToken.randomText(), request, calls, counters, opener: opener, idleTimeout: idleTimeout)
    let isFull = sessions.withLock { sessions in
      guard sessions.count < most else { return true }
      sessions[session.id] = session
      return false
    }
    guard !isFull else {
      throw Status(
        .resourceExhausted,
        "there are \(most) sessions, which is the limit; end a session, or raise --max-sessions",
        .limit("sessions"))
    }
    return session
  }

  func find(_ id: String) throws(Status) -> Session {
    guard let session = sessions.withLock({ $0[id] }) else { throw Self.unknown }
    return session
  }

  /// The token of a session; `nil` if there is no such session.
  func token(of id: String) -> SessionToken? { sessions.withLock { $0[id]?.token } }

  package func end(_ id: String) async throws(Status) {
    guard let session = sessions.withLock({ $0.removeValue(forKey: id) }) else { throw Self.unknown }
    await session.end()
    hasFreed.store(true, ordering: .relaxed)
  }

  /// Begins a new attempt of a check.
  package func restart(_ id: String) async throws(Status) {
    try await find(id).restart()
    hasFreed.store(true, ordering: .relaxed)
  }

  /// Ends idle sessions and those whose opener may no longer call. Called every second.
  package func endIdle() async {
    for (id, session) in sessions.withLock({ $0 }) {
      let isAllowed = credentials.allows(session.token)
      if isAllowed, await !session.isIdle { continue }
      try? await end(id)
    }
    if hasFreed.exchange(false, ordering: .relaxed) { Heap.trim() }
  }
}
