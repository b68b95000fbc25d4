import FaceCore
import Logging
import Posix
import Wire

/// What happens beyond plain ttrpc: Hello, and the frames that it allows.
extension EventLoop {
  func hello(_ call: Call, from connection: Connection) throws(Status) {
    guard connection.features == nil else {
      throw Status(.failedPrecondition, "Hello was said on this connection before; say it once")
    }
    let request = try HelloCall.request(call.body.span.extracting(call.payload))
    let response = try callHandler.service.hello(request)
    connection.send(try HelloCall.responseFrame(stream: call.stream, response))
    connection.features = response.features
    if logger.logLevel <= .info, connectionLines.take(connection.peer.user) {
      logger.info("hello", metadata: ["peer": "\(connection.peer)", "client": "\(request.client)"])
    }
    statistics.add(.hello, failure: nil, timing: nil)
  }

  /// Throws what the peer is told.
  func control(_ type: FrameType, _ frame: Frame, from connection: Connection) throws(Status) {
    guard let feature = type.feature, connection.features?.contains(feature) == true else {
      throw Status(
        .failedPrecondition,
        "a frame of type \(type.rawValue) needs the feature \"\(type.feature?.rawValue ?? "")\"; "
          + "ask for it in Session/Hello first")
    }
    let control: ControlFromClient
    do throws(Status) {
      control = try ControlFromClient(type, stream: frame.header.stream, frame.body.span)
    } catch {
      closeWhenSent(connection)
      throw error
    }
    switch control {
    case .cancel(let stream): cancel(stream, of: connection)
    case .ping(let value): connection.send(ControlFromEngine.pong(value).frame)
    case .pong: break
    case .register(let number, let size):
      connection.answer(number) { () throws(Status) in try take(number, size, from: connection) }
    case .unregister(let number):
      connection.answer(number) { () throws(Status) in try giveBack(number, to: connection) }
    }
  }

  private func cancel(_ number: UInt32, of connection: Connection) {
    let status = Status(.cancelled, "the client cancelled the call")
    if let stream = connection.streams[number] {
      end(stream, of: connection, status)
    } else if let call = connection.inFlight.removeValue(forKey: number) {
      callsInFlight -= 1
      pool.cancel(call.requestID)
      statistics.add(call.method, failure: status.code, timing: nil)
      connection.send(FailedCall.responseFrame(stream: number, status))
    } else if connection.healthWatches.removeValue(forKey: number) != nil {
      connection.send(FailedCall.responseFrame(stream: number, status))
    }
  }

  // MARK: Shared memory

  private func take(_ number: UInt32, _ size: UInt64, from connection: Connection) throws(Status) {
    guard let descriptor = connection.descriptor.take() else {
      throw Status(.invalidArgument, "the offer came without a descriptor; send both in one sendmsg")
    }
    guard !connection.buffers.contains(number) else {
      throw Status(.alreadyExists, "buffer \(number) is in use; take it back first, or choose another number")
    }
    let limits = configuration.limits
    guard connection.buffersHeld.counter.value < limits.buffersPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(limits.buffersPerConnection) buffers, as many as it may; wait until one is not needed, "
          + "or start the engine with a larger --buffers-per-connection",
        .limit("buffers_per_connection"))
    }
    guard let size = Int(exactly: size) else {
      throw Status(.invalidArgument, "the offered size is \(size) bytes; give the size of the memfd")
    }
    let buffer = try SharedBuffer(
      descriptor, size: size, user: connection.peer.user, account: mapped, held: connection.buffersHeld)
    connection.buffers.insert(buffer, as: number)
  }

  private func giveBack(_ number: UInt32, to connection: Connection) throws(Status) {
    guard connection.buffers.remove(number) else {
      throw Status(.notFound, "there is no buffer \(number) on this connection to take back")
    }
  }

  // MARK: Stopping

  /// Tells who wants to know that no more calls are served, and lets streams end with the frames they have.
  func announceStop() {
    for connection in Array(connections.values) {
      if connection.features?.contains(.goaway) == true {
        connection.send(ControlFromEngine.goAway(lastStream: connection.lastStream).frame)
      }
      for stream in Array(connection.streams.values) {
        stream.ending = Status(.unavailable, "the engine is stopping; open the stream again when it runs")
        advance(stream, of: connection)
      }
      flush(connection)
    }
  }
}

extension Connection {
  /// Tells the peer what came of an offer, or of taking it back.
  fileprivate func answer(_ buffer: UInt32, _ body: () throws(Status) -> Void) {
    var failure: Status?
    do throws(Status) { try body() } catch { failure = error }
    send(ControlFromEngine.registration(buffer: buffer, failure: failure).frame)
  }
}

extension FrameType {
  /// What must have been agreed on before this is sent.
  fileprivate var feature: Feature? {
    switch self {
    case .request, .response, .data: nil
    case .cancel: .cancel
    case .goAway: .goaway
    case .ping, .pong: .ping
    case .credit: .credit
    case .bufferOffer: .buffers
    }
  }
}

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
