import FaceCore
import Logging
import Posix
import Wire

/// Extensions of ttrpc: Hello, the frames that it allows, `Health/Watch`, and the announcement of a stop.
extension ConnectionManager {
  func handleHello(_ call: Call, from connection: Connection) throws(Status) {
    guard connection.features == nil else {
      throw Status(.failedPrecondition, "this connection has sent a Hello already; send it once")
    }
    let request = try HelloCall.request(call.body.span.extracting(call.payload))
    let response = try callHandler.service.hello(request)
    let answer = try HelloCall.responseFrame(stream: call.stream, response)
    connection.outbox.append(answer)
    connection.features = response.features
    logger.info("hello", metadata: ["peer": "\(connection.peer)", "client": "\(request.client)"])
    record(CallRecord(call, answerSize: answer.count), of: connection)
    // The peer connected before the engine began to stop, which was announced only to peers that had said
    // Hello by then.
    if !isServing, response.features.contains(.goaway), connection.id != successor?.connection {
      connection.outbox.append(ControlFromEngine.goAway(lastStream: connection.lastStream).frame)
    }
  }

  func handleControl(
    _ type: FrameType, _ frame: Frame, from connection: Connection, at now: MonotonicTime
  ) throws(Status) {
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
      closeWhenSent(connection, at: now)
      throw error
    }
    switch control {
    case .cancel(let stream): cancel(stream, of: connection)
    case .ping(let value): connection.outbox.append(ControlFromEngine.pong(value).frame)
    case .pong: break
    case .register(let number, let size):
      connection.answerRegistration(number) { () throws(Status) in try register(number, size, of: connection)
      }
    case .unregister(let number):
      connection.answerRegistration(number) { () throws(Status) in
        guard connection.buffers.remove(number) else {
          throw Status(.notFound, "there is no buffer \(number) on this connection to withdraw")
        }
      }
    }
  }

  private func cancel(_ number: UInt32, of connection: Connection) {
    let status = Status(.cancelled, "the client cancelled the call")
    switch connection.pendingCalls[number] {
    case nil: return
    case .frames(let stream): return end(stream, of: connection, status)
    case .single(let requestID, let method):
      queue.cancel(requestID)
      record(
        CallRecord(stream: number, method: method, trace: RequestTrace(), failure: status, size: 0),
        of: connection)
    case .healthWatch: break
    case .takeOver: return
    }
    connection.pendingCalls[number] = nil
    connection.outbox.append(FailedCall.responseFrame(stream: number, status))
  }

  /// Maps a client's memory.
  private func register(_ number: UInt32, _ size: UInt64, of connection: Connection) throws(Status) {
    guard let descriptor = connection.claimDescriptor() else {
      throw Status(.invalidArgument, "the offer came without a descriptor; send both in one sendmsg")
    }
    guard !connection.buffers.contains(number) else {
      throw Status(.alreadyExists, "buffer \(number) is in use; withdraw it first, or choose another number")
    }
    guard connection.bufferCount.value < limits.buffersPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(limits.buffersPerConnection) buffers, which is the limit; withdraw one, "
          + "or use another connection",
        .limit("buffers_per_connection"))
    }
    guard let size = Int(exactly: size) else {
      throw Status(.invalidArgument, "the offered size is \(size) bytes; give the size of the memfd")
    }
    let buffer = try SharedBuffer(
      descriptor, size: size, user: connection.peer.user, accounts: accounts, count: connection.bufferCount)
    connection.buffers.insert(buffer, as: number)
  }

  // MARK: Health/Watch

  /// Sends the current health, and from then on each change.
  func startHealthWatch(_ call: Call, of connection: Connection) throws(Status) {
    guard isServing else {
      throw Status(.unavailable, "the engine is stopping; try again when it runs")
    }
    try checkStreamCount(of: connection)
    let name = try HealthCall.request(call.body.span.extracting(call.payload))
    record(CallRecord(call), of: connection)
    // The status that all others know. If it has changed meanwhile, `announceHealth` sends the new one here
    // as well.
    let isKnown = name.isEmpty || Method.services.contains(name)
    sendHealth(isKnown ? announcedHealth : .serviceUnknown, to: connection, call.stream)
  }

  func checkStreamCount(of connection: Connection) throws(Status) {
    let limit = limits.streamsPerConnection
    guard connection.streamCount < limit else {
      throw Status(
        .resourceExhausted, "this connection has \(limit) streams open, which is the limit; end one first",
        .limit("streams_per_connection"))
    }
  }

  func sendHealth(_ status: ServingStatus, to connection: Connection, _ stream: UInt32) {
    do throws(Status) {
      connection.outbox.append(try HealthCall.dataFrame(stream: stream, status))
      connection.pendingCalls[stream] = .healthWatch(status)
    } catch {
      connection.outbox.append(FailedCall.responseFrame(stream: stream, error))
      connection.pendingCalls[stream] = nil
    }
  }

  // MARK: Stopping

  /// Tells every peer that no more calls are served. Streams of frames end after the frames they have; health
  /// streams end now.
  func announceStop(at now: MonotonicTime) {
    let status = Status(.unavailable, "the engine is stopping; open the stream again when it runs")
    for connection in inOrder {
      if connection.features?.contains(.goaway) == true, connection.id != successor?.connection {
        connection.outbox.append(ControlFromEngine.goAway(lastStream: connection.lastStream).frame)
      }
      for stream in connection.streams {
        stream.ending = status
        advance(stream, of: connection)
      }
      flush(connection)
    }
    announceHealth(at: now)
    let end = Status(.unavailable, "the engine is stopping; watch again when it runs")
    for connection in inOrder {
      for number in connection.pendingCalls.keys.sorted() {
        guard case .healthWatch? = connection.pendingCalls[number] else { continue }
        connection.pendingCalls[number] = nil
        connection.outbox.append(FailedCall.responseFrame(stream: number, end))
      }
      flush(connection)
    }
  }
}

extension Connection {
  /// Runs the registration of a buffer, or its removal, and answers it with the result.
  fileprivate func answerRegistration(_ buffer: UInt32, _ body: () throws(Status) -> Void) {
    var failure: Status?
    do throws(Status) { try body() } catch { failure = error }
    outbox.append(ControlFromEngine.registration(buffer: buffer, failure: failure).frame)
  }
}

extension FrameType {
  /// The feature that must have been agreed on before this frame may be sent.
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
