import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct ClientHealthTests {
  private static let broken = Status(.failedPrecondition, "the network gives nothing")

  /// A client of a server that tests its models continually.
  private func restless() throws -> (TestServer, Client) {
    let engine = try TestServer { $0.selfTestInterval = 1_000_000 }
    return (engine, try Client(socket: engine.socket))
  }

  @Test func watchReportsTheStateAndEachChange() throws {
    let (engine, client) = try restless()
    var states: [ServingStatus] = []
    try client.watchHealth { state in
      states.append(state)
      // Each report causes the next change.
      engine.detector.fail(with: state == .serving ? Self.broken : nil)
      return states.count < 4
    }
    #expect(states == [.serving, .notServing, .serving, .notServing])
  }

  @Test func watchReportsAnUnknownService() throws {
    let (engine, client) = try restless()
    for (service, expected) in [
      ("nope", ServingStatus.serviceUnknown), ("faceengine.v1.Detector", .serving), ("", .serving),
    ] {
      var told: ServingStatus?
      try client.watchHealth(of: service) { state in
        told = state
        return false
      }
      #expect(told == expected)
    }
    withExtendedLifetime(engine) {}
  }

  @Test func watchReportsThatTheEngineStops() throws {
    let (engine, client) = try restless()
    var states: [ServingStatus] = []
    let status = #expect(throws: Status.self) {
      try client.watchHealth { state in
        states.append(state)
        if state == .serving { engine.server.stop() }
        return true
      }
    }
    #expect(states == [.serving, .notServing])
    #expect(status?.code == .unavailable)
  }

  @Test func watchOfAMissingEngineIsUnavailable() throws {
    let (engine, client) = try restless()
    engine.stop()
    let status = #expect(throws: Status.self) { try client.watchHealth { _ in true } }
    #expect(status?.code == .unavailable)
  }

  @Test func cancelEndsAWatch() throws {
    let (engine, client) = try restless()
    let canceller = Canceller()
    let told = Counter()
    let thread = try Posix.Thread(name: "watcher") {
      let status = #expect(throws: Status.self) {
        try client.watchHealth(canceller: canceller) { _ in
          told.add()
          return true
        }
      }
      #expect(status?.code == .cancelled)
    }
    #expect(comesTrue { told.value == 1 })
    canceller.cancel()
    thread.join()
    // A watch that was cancelled before does not begin.
    let late = #expect(throws: Status.self) { try client.watchHealth(canceller: canceller) { _ in true } }
    #expect(late?.code == .cancelled)
    #expect(told.value == 1)
    #expect(try client.health() == .serving)
    withExtendedLifetime(engine) {}
  }

  /// The engine refuses the first request on a connection.
  @Test func watchIsUnimplementedByOlderEngines() throws {
    let engine = try FaultyEngine { _, _ in [] }
    let client = try Client(socket: engine.path)
    let status = #expect(throws: Status.self) { try client.watchHealth { _ in true } }
    #expect(status?.code == .unimplemented)
  }

  /// An engine that accepts connections, or leaves them waiting, and says nothing is waited for only until
  /// the timeout.
  @Test func watchOfASilentEngineTimesOut() throws {
    let engine = try TestServer()
    var options = ClientOptions()
    options.timeout = 20_000_000
    // Hello has the same timeout.
    let client = try #require(eventually { try? Client(socket: engine.socket, options: options) })
    engine.stop()
    let silent = try SocketFile.claim(try SocketPath(engine.socket))
    let status = #expect(throws: Status.self) { try client.watchHealth { _ in true } }
    #expect(status?.code == .deadlineExceeded)
    _ = silent
  }
}
