package import EngineLink
import FaceCore
import GatewayServing
import NIOCore
import Synchronization

/// The sessions of HTTP callers, by ids that cannot be guessed. Sessions without frames end after a while.
package final class SessionStore: Sendable {
  static let unknown = Status(.notFound, "there is no such session, or it has ended; begin another one")

  private let calls: FaceCalls
  private let idleTimeout: Int
  private let most: Int
  private let sessions = Mutex<[String: Session]>([:])

  package init(_ calls: FaceCalls, idleTimeout: Int, most: Int) {
    self.calls = calls
    self.idleTimeout = idleTimeout
    self.most = most
  }

  func open(_ request: SessionRequest) throws(Status) -> Session {
    let session = Session(id: SessionToken.randomText(), request, calls, idleTimeout: idleTimeout)
    let isFull = sessions.withLock { sessions in
      if sessions.count < most { sessions[session.id] = session }
      return sessions[session.id] == nil
    }
    guard !isFull else {
      throw Status(
        .resourceExhausted,
        "there are \(most) sessions, as many as there may be; end one, or raise --max-sessions",
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

  func end(_ id: String) async throws(Status) {
    guard let session = sessions.withLock({ $0.removeValue(forKey: id) }) else { throw Self.unknown }
    await session.end()
  }

  /// Ends idle sessions, checking every second until the task is cancelled.
  package func endIdle() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      for (id, session) in sessions.withLock({ $0 }) where await session.isIdle(at: .now()) {
        try? await end(id)
      }
    }
  }
}
