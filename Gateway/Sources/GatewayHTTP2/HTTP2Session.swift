package import CNGHTTP2
import GatewayServing
package import NIOCore

/// The HTTP/2 protocol of one server connection, implemented by nghttp2: bytes in, bytes out, without a
/// socket.
///
/// Everything that a client can make it hold or do is limited: streams, windows, headers, frames without
/// effect, and output for a client that does not read.
package final class HTTP2Session {
  /// The window of a stream in bytes: what a client may send before more is requested.
  package static let streamWindow = RequestMemory.unreserved
  /// The most bytes of a frame's padding, with their number, which the window has to have room for at first.
  package static let maxPadding = 256
  private static let connectionWindow = 4 << 20
  private static let maxStreams = 128
  private static let maxFrameBytes = 1 << 16
  /// The most bytes of a longer one, which is read to its end so that it can be answered.
  private static let maxDroppedHeaderBytes = 256 << 10
  /// The most PINGs, SETTINGS and similar frames in a fifth of a second. Some clients measure the round trip
  /// with each call, so there may be as many as calls.
  static let maxControlFrames = 4000
  private static let controlWindow = TimeAmount.milliseconds(200)
  /// The streams that a client may reset at once, and per second in the long run: nghttp2's defaults. A proxy
  /// has many clients, and all may give up on a slow machine.
  static let maxResets = (burst: 1000, rate: 33)
  /// The most malformed frames and headers.
  private static let maxFaults = 200
  /// The most frames that wait to be sent.
  private static let maxWaitingFrames = 10_000

  private unowned let connection: HTTP2Connection
  let session: OpaquePointer
  package private(set) var streams: [Int32: HTTP2Stream] = [:]
  private let head: any HTTP2HeadReader
  private let maxHeaderBytes: Int
  private var headerByteCount = 0
  private var isHeadTooLarge = false
  private var controlFrames = EventRate(most: maxControlFrames, in: controlWindow)
  private var faultCount = 0
  private(set) var answerByteCount = 0
  /// The completions of written messages, called once no call into nghttp2 is running.
  private var sent: [() -> Void] = []

  /// Returns `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - connection: receives events during `receive` or `write`; it must not call either from them.
  ///   - head: reads the heads of requests.
  init?(_ connection: HTTP2Connection, head: any HTTP2HeadReader) {
    guard let session = Self.makeSession() else { return nil }
    self.session = session
    self.connection = connection
    self.head = head
    maxHeaderBytes = connection.server.maxHeaderBytes
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    let settings = [
      nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, Self.maxStreams),
      nghttp2_settings_entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, Self.streamWindow),
      nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, Self.maxFrameBytes),
      nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderBytes),
      nghttp2_settings_entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(Self.connectionWindow))
  }

  deinit { nghttp2_session_del(session) }

  // MARK: From the client

  /// Receives bytes. Returns `false` if the client violates HTTP/2 or exceeds a limit: the connection is then
  /// to be closed at once.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let count = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    return count == bytes.count && nghttp2_session_get_outbound_queue_size(session) <= Self.maxWaitingFrames
  }

  func beganHeaders(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
    head.begin()
    headerByteCount = 0
    isHeadTooLarge = false
    return 0
  }

  func receivedHeader(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
    -> Int32
  {
    headerByteCount += name.count + value.count + 32
    guard headerByteCount > maxHeaderBytes else {
      head.add(name, value)
      return 0
    }
    // Dropped. nghttp2 has decoded it, and later lists may refer to it.
    guard headerByteCount <= Self.maxDroppedHeaderBytes else { return Self.failure }
    if isHeadTooLarge { return 0 }
    isHeadTooLarge = true
    head.markTooLarge()
    return foundFault()
  }

  package func received(_ bytes: UnsafeRawBufferPointer, _ number: Int32) -> Int32 {
    // The connection's window is opened at once: the streams' windows limit what is held.
    nghttp2_session_consume_connection(session, bytes.count)
    if let stream = streams[number] { connection.received(bytes, on: stream) }
    return 0
  }

  package func received(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
    guard let frame else { return 0 }
    let header = frame.pointee.hd
    let isEnd = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue where frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST:
      let stream = HTTP2Stream(header.stream_id)
      stream.isHeadTooLarge = headerByteCount > maxHeaderBytes
      streams[header.stream_id] = stream
      connection.opened(stream, isEnd: isEnd)
    case NGHTTP2_DATA.rawValue where !isEnd:
      let padding = frame.pointee.data.padlen
      // Not known to those who open the stream's window: it is opened by the padding at once.
      if padding > 0, let stream = streams[header.stream_id] { extendWindow(of: stream, by: padding) }
      return header.length <= padding ? countControl() : 0
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      if let stream = streams[header.stream_id] { connection.receivedEnd(of: stream) }
    case NGHTTP2_PING.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
        connection.ponged(
          withUnsafeBytes(of: frame.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) })
      }
    default: break
    }
    return 0
  }

  private static let failure = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

  func countControl() -> Int32 { controlFrames.count() ? 0 : Self.failure }

  func foundFault() -> Int32 {
    faultCount += 1
    return faultCount <= Self.maxFaults ? 0 : Self.failure
  }

  package func closed(_ number: Int32) -> Int32 {
    guard let stream = streams.removeValue(forKey: number) else { return 0 }
    answerByteCount -= stream.unreadByteCount
    stream.isClosed = true
    connection.closed(stream)
    return 0
  }

  /// Lets the client send `byteCount` more bytes.
  package func openWindow(of stream: HTTP2Stream, by byteCount: Int) {
    nghttp2_session_consume_stream(session, stream.number, byteCount)
  }

  /// Lets the client send `byteCount` more bytes at once, even beyond the stream's window.
  func extendWindow(of stream: HTTP2Stream, by byteCount: Int) {
    nghttp2_submit_window_update(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.number, Int32(byteCount))
  }

  // MARK: To the client

  /// Begins an answer; messages and trailers follow.
  package func begin(_ stream: HTTP2Stream, _ fields: HTTP2Fields) {
    var body = nghttp2_data_provider(
      source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque())
    ) { session, _, room, size, flags, source, user in
      guard let session, let pointer = source?.pointee.ptr, let flags else { return 0 }
      let stream = Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
      let room = UnsafeMutableRawBufferPointer(start: room, count: size)
      return HTTP2Session.session(of: user).fill(room, stream, &flags.pointee, session)
    }
    counting(stream) { stream.beginAnswer(fields) }
    fields.withValues { values in
      _ = nghttp2_submit_response(session, stream.number, values.baseAddress, values.count, &body)
    }
  }

  /// Sends an answer that has only headers.
  package func answer(_ stream: HTTP2Stream, _ fields: HTTP2Fields) {
    counting(stream) { stream.beginAnswer(fields) }
    fields.withValues { values in
      _ = nghttp2_submit_response(session, stream.number, values.baseAddress, values.count, nil)
    }
  }

  /// - Parameter completion: called when the last byte was written, which the client's window may delay.
  package func send(_ part: HTTP2Part, on stream: HTTP2Stream, _ completion: (() -> Void)?) {
    counting(stream) { stream.append(part, completion) }
    resume(stream)
  }

  /// Ends an answer that was begun.
  package func end(_ stream: HTTP2Stream, _ trailers: HTTP2Fields) {
    counting(stream) { stream.end(trailers) }
    resume(stream)
  }

  private func resume(_ stream: HTTP2Stream) {
    if !stream.isDeferred { return }
    stream.isDeferred = false
    nghttp2_session_resume_data(session, stream.number)
  }

  /// Writes as much of a stream's output as fits in a frame.
  private func fill(
    _ room: UnsafeMutableRawBufferPointer, _ stream: HTTP2Stream, _ flags: inout UInt32,
    _ session: OpaquePointer
  ) -> Int {
    let count = counting(stream) { stream.moveBytes(into: room, &sent) }
    guard stream.isEmpty else { return count }
    if let trailers = stream.trailers {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
      if trailers.isEmpty { return count }
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      trailers.withValues { values in
        _ = nghttp2_submit_trailer(session, stream.number, values.baseAddress, values.count)
      }
    } else if count == 0 {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    return count
  }

  package func sent(_ frame: UnsafePointer<nghttp2_frame>?) -> Int32 {
    guard connection.server.endsUploads, let header = frame?.pointee.hd,
      header.type == NGHTTP2_HEADERS.rawValue, let stream = streams[header.stream_id],
      header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      nghttp2_session_get_stream_remote_close(session, header.stream_id) == 0
    else { return 0 }
    if stream.isHeadTooLarge { reset(stream.number) } else { stream.sweepsSinceAnswer = 0 }
    return 0
  }

  /// Counts what `body` changes of the stream's answer.
  @discardableResult
  func counting<Value>(_ stream: HTTP2Stream, _ body: () -> Value) -> Value {
    let before = stream.unreadByteCount
    defer { if !stream.isClosed { answerByteCount += stream.unreadByteCount - before } }
    return body()
  }

  /// Appends output up to `most` bytes or a little more.
  ///
  /// - Returns: `false` to close the connection at once.
  package func write(to bytes: inout ByteBuffer, most: Int) -> Bool {
    while bytes.readableBytes < most {
      var data: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &data)
      if count <= 0 { return count == 0 }
      bytes.writeBytes(UnsafeRawBufferPointer(start: data, count: count))
    }
    return true
  }

  /// Calls the completions of written messages. Returns `false` if there were none.
  func tellSent() -> Bool {
    if sent.isEmpty { return false }
    let completions = sent
    sent = []
    for completion in completions { completion() }
    return true
  }
}

extension nghttp2_settings_entry {
  fileprivate init(_ id: nghttp2_settings_id, _ value: Int) {
    self.init(settings_id: Int32(id.rawValue), value: UInt32(value))
  }
}
