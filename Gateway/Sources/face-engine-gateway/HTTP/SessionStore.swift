import FaceCore
import NIOCore

/// The sessions of HTTP callers, by ids that cannot be guessed. Sessions without frames end after a while.
actor SessionStore {
  static let unknown = Status(.notFound, "there is no such session, or it has ended; begin another one")

  private let calls: FaceCalls
  private let idleTimeout: Int
  private let most: Int
  private var sessions: [String: Session] = [:]

  init(_ calls: FaceCalls, idleTimeout: Int, most: Int) {
    self.calls = calls
    self.idleTimeout = idleTimeout
    self.most = most
  }

  func open(_ request: SessionRequest) throws(Status) -> Session {
    guard sessions.count < most else {
      throw Status(
        .resourceExhausted,
        "there are \(most) sessions, as many as there may be; end one, or raise --max-sessions",
        .limit("sessions"))
    }
    let session = Session(id: Self.newID(), request, calls, idleTimeout: idleTimeout)
    sessions[session.id] = session
    return session
  }

  func find(_ id: String) throws(Status) -> Session {
    guard let session = sessions[id] else { throw Self.unknown }
    return session
  }

  func end(_ id: String) async throws(Status) {
    guard let session = sessions.removeValue(forKey: id) else { throw Self.unknown }
    await session.end()
  }

  /// Ends idle sessions, checking every second until the task is cancelled.
  func endIdle() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      for (id, session) in sessions where await session.isIdle(at: .now()) {
        sessions[id] = nil
        await session.end()
      }
    }
  }

  /// A new id: 128 bits from the system's random number generator.
  private static func newID() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
