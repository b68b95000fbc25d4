import FaceCore
import Logging
import Posix
import Wire

/// What happens to the engine's own state: it is tried, loaded anew, and told to those who watch it.
extension EventLoop {
  func handle(_ report: HealthMonitor.Report) {
    switch report {
    case .tested(let failure):
      // Only here, so that it says that this thread is alive as well.
      if failure == nil { configuration.manager?.tell(.alive) }
      if failure?.message != selfTestFailure?.message { logTest(failure) }
      selfTestFailure = failure
    case .reloaded(let failure):
      if let failure {
        logger.error(
          "models not reloaded; those that were loaded stay",
          metadata: ["status": "\(failure.code.name)", "reason": "\(failure.message)"])
      } else {
        logger.notice("models reloaded")
      }
      if drainDeadline == nil { configuration.manager?.tell(.ready) }
    }
  }

  private func logTest(_ failure: Status?) {
    if let failure {
      logger.error(
        "self-test failed; not serving",
        metadata: ["status": "\(failure.code.name)", "reason": "\(failure.message)"])
    } else {
      logger.notice("self-test passed again; serving")
    }
  }

  /// Loads the models again, on another thread.
  func reloadModels() {
    guard drainDeadline == nil else { return }
    configuration.manager?.tell(.reloading)
    healthMonitor.requestReload()
  }

  /// `Health/Watch`: the state now, and from now on each change.
  func beginWatch(_ call: Call, from connection: Connection) throws(Status) {
    guard drainDeadline == nil else {
      throw Status(.unavailable, "the engine is stopping; try again when it runs")
    }
    guard connection.openStreams < configuration.limits.streamsPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(connection.openStreams) streams open, as many as it may; end one first",
        .limit("streams_per_connection")
      )
    }
    let name = try HealthCall.request(call.body.span.extracting(call.payload))
    statistics.add(.healthWatch, failure: nil, timing: nil)
    guard name.isEmpty || Method.services.contains(name) else {
      return tell(.serviceUnknown, to: connection, call.stream)
    }
    // What all others know; if it has changed meanwhile, `tellHealth` tells this one as well.
    tell(toldHealth, to: connection, call.stream)
  }

  /// Tells a change to all who watch; called whenever something may have changed.
  func tellHealth() {
    let status = callHandler.service.health.status
    guard status != toldHealth else { return }
    toldHealth = status
    for connection in connections.values where !connection.healthWatches.isEmpty {
      for (stream, told) in connection.healthWatches where told != status && told != .serviceUnknown {
        tell(status, to: connection, stream)
      }
      flush(connection)
    }
  }

  private func tell(_ status: ServingStatus, to connection: Connection, _ stream: UInt32) {
    do throws(Status) {
      connection.send(try HealthCall.dataFrame(stream: stream, status))
      connection.healthWatches[stream] = status
    } catch {
      connection.send(FailedCall.responseFrame(stream: stream, error))
      connection.healthWatches[stream] = nil
    }
  }

  /// The engine is stopping, and says so as the last thing.
  func endWatches() {
    tellHealth()
    let status = Status(.unavailable, "the engine is stopping; watch again when it runs")
    for connection in connections.values where !connection.healthWatches.isEmpty {
      for stream in connection.healthWatches.keys.sorted() {
        connection.send(FailedCall.responseFrame(stream: stream, status))
      }
      connection.healthWatches = [:]
      flush(connection)
    }
  }
}
