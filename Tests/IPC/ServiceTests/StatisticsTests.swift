import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct StatisticsTests {
  private func detect(_ client: Client, _ text: String) throws {
    let bytes = [UInt8](text.utf8)
    _ = try bytes.withUnsafeBytes { try client.detect(ImageInput(.encoded($0)), options: DetectionOptions()) }
  }

  @Test func callsAreCountedByMethodAndCode() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    #expect(try client.stats().methods.map(\.method) == ["faceengine.v1.Session/Hello"])
    try detect(client, "good")
    try detect(client, "good")
    #expect(throws: Status.self) { try detect(client, "bad") }
    _ = try client.health()
    #expect(throws: Status.self) { try client.health(of: "nope") }

    let stats = try client.stats()
    #expect(
      stats.methods.map(\.method).sorted() == [
        "faceengine.v1.Admin/Stats", "faceengine.v1.Detector/Detect", "faceengine.v1.Health/Check",
        "faceengine.v1.Session/Hello",
      ])
    let detections = try #require(stats.methods.first { $0.method.hasSuffix("Detect") })
    #expect(detections.calls == 3)
    #expect(detections.failures == [.invalidArgument: 1])
    #expect(detections.queueTime.count == 3)
    #expect(detections.runTime.count == 3)
    #expect(detections.runTime.p50 <= detections.runTime.max)
    let buckets = try #require(detections.runBuckets)
    #expect(detections.queueBuckets?.counts.reduce(0, +) == 3)
    #expect(buckets.bounds == DurationBuckets.standardBounds && buckets.counts.reduce(0, +) == 3)
    #expect((detections.runTime.max...detections.runTime.max * 3).contains(buckets.sum))
    let check = try #require(stats.methods.first { $0.method.hasSuffix("Check") })
    #expect(check.calls == 2)
    #expect(check.failures == [.notFound: 1])
    #expect(stats.uptime > 0)
  }

  @Test func callThatNeverRanHasNoRunTime() throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1) + Frames.detect(3))
    #expect(try peer.receiveStatus().failure?.code == .resourceExhausted)
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    try peer.send(try Frames.detect(5, timeout: -1))
    #expect(try peer.receiveStatus().failure?.code == .deadlineExceeded)
    let detect = try #require(try Client(socket: engine.socket).stats().methods.first)
    #expect(detect.calls == 3)
    #expect(detect.failures == [.resourceExhausted: 1, .deadlineExceeded: 1])
    #expect(detect.queueTime.count == 2)
    #expect(detect.runTime.count == 1)
    #expect(detect.queueBuckets?.counts.reduce(0, +) == 2)
    #expect(detect.runBuckets?.counts.reduce(0, +) == 1)
  }

  @Test func endsOfStreamsAreCountedByCode() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    // One stream ends regularly after a frame; one is cancelled; two break the protocol.
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1))
    #expect(try peer.receiveWatch().frame.number == 1)
    try peer.send(StreamEnd.dataFrame(stream: 3))
    peer.expectEnd(.ok)
    try peer.send(try Frames.watch(5) + ControlFromClient.cancel(stream: 5).frame)
    peer.expectEnd(.cancelled)
    for stream in [7, 9] as [UInt32] {
      try peer.send(try Frames.watch(stream) + Frames.header(1, stream, type: 3) + [0x0a])
      peer.expectEnd(.invalidArgument)
    }
    // The peer of another one is gone.
    let other = try RawPeer(engine.socket)
    try other.send(try Frames.watch(1) + Frames.frame(1, 1))
    #expect(try other.receiveWatch().frame.number == 1)
    other.close()
    var watch: MethodStats?
    for _ in 0..<1000 where watch?.ends[.cancelled] != 2 {
      watch = try Client(socket: engine.socket).stats().methods.first { $0.method.hasSuffix("/Watch") }
    }
    #expect(watch?.ends == [.ok: 1, .cancelled: 2, .invalidArgument: 2])
    #expect(watch?.calls == 2)
    #expect(watch?.failures == [:])
  }

  @Test func connectionsAndBytesAreCounted() throws {
    let engine = try TestServer { $0.limits.connectionsPerUser = 2 }
    let client = try Client(socket: engine.socket)
    _ = try client.info()
    let before = try client.stats()
    #expect(before.connections == 1)
    #expect(before.connectionsTotal == 1)

    let peer = try RawPeer(engine.socket)
    let frame = try Frames.health(1)
    try peer.send(frame)
    let answer = try #require(try peer.receive())
    let refused = try RawPeer(engine.socket)
    try refused.send(frame)
    #expect(try refused.receiveStatus().failure?.code == .resourceExhausted)
    #expect(try refused.receive() == nil)

    let after = try client.stats()
    #expect(after.connections == 2)
    #expect(after.connectionsTotal == 3)
    #expect(after.connectionsRefused == 1)
    #expect(after.peersDropped == 0)
    #expect(after.receivedBytes > before.receivedBytes + 2 * frame.count)
    #expect(after.sentBytes > before.sentBytes + FrameHeader.size + answer.body.count)
  }

  @Test func peersThatBreakTheProtocolAreCounted() throws {
    let engine = try TestServer { $0.limits.firstFrameTimeout = .milliseconds(1) }
    let silent = try RawPeer(engine.socket)
    #expect(try silent.receive() == nil)
    #expect(try Client(socket: engine.socket).stats().peersDropped == 1)
  }
}

@Suite struct LoadTests {
  @Test func waitingAndRunningCallsAreCounted() throws {
    let held = try PausedServer()
    let client = try Client(socket: held.engine.socket)
    let before = try client.stats()
    #expect(before.workers == 2 && before.busyWorkers == 1 && before.queuedCalls == 0)
    let peer = try RawPeer(held.engine.socket)
    try peer.send(try Frames.detect(1) + Frames.detect(3))
    // The thread that has read the earlier calls answers this one.
    try peer.expectServed(5)
    let waiting = try client.stats()
    #expect(waiting.busyWorkers == 1 && waiting.queuedCalls == 2)
    try held.release()
    for stream in [1, 3] as [UInt32] { #expect(try peer.receiveStatus().stream == stream) }
    var after = try client.stats()
    // A worker answers a moment before it is free.
    while after.busyWorkers > 0 { after = try client.stats() }
    #expect(after.queuedCalls == 0)
  }

  /// The trace comes from the metadata of a request.
  @Test func requestIDIsInTheErrorDetailsAndTheAccessLog() throws {
    let lines = Monitor<[String]>([])
    let log = try AccessLog { text in lines.withLock { $0.append(text) } }
    let engine = try TestServer { $0.accessLog = log }
    let peer = try RawPeer(engine.socket)
    /// A request with a pair of metadata behind its other fields.
    func traced(_ frame: [UInt8], _ key: String, _ value: String) -> [UInt8] {
      let pair =
        [0x0A, UInt8(key.utf8.count)] + Array(key.utf8) + [0x12, UInt8(value.utf8.count)] + Array(value.utf8)
      let body = Array(frame.dropFirst(FrameHeader.size)) + [0x2A, UInt8(pair.count)] + pair
      return Frames.header(UInt32(body.count), 1) + body
    }
    try peer.send(traced(try Frames.detect(1, Array("bad".utf8)), "x-request-id", "order=66"))
    let refused = try #require(try peer.receive())
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(text.contains("google.rpc.RequestInfo") && text.contains("order=66"))
    try peer.send(traced(try Frames.detect(1), "traceparent", "00-aa-bb-01"))
    #expect(try peer.receiveStatus().failure == nil)
    engine.stop()
    log.finish(within: .seconds(10))
    let written = lines.withLock { $0.joined() }.split(separator: "\n")
    #expect(written.count == 2)
    #expect(written.first?.contains(" status=INVALID_ARGUMENT ") == true)
    #expect(written.first?.hasSuffix(" request_id=\"order=66\"") == true)
    #expect(written.last?.contains(" method=faceengine.v1.Detector/Detect status=OK request_bytes=") == true)
    #expect(written.last?.hasSuffix(" traceparent=00-aa-bb-01") == true)
  }
}
