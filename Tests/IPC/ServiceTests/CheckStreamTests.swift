import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// `Detector/Check`: like Watch, with its own start and answers.
@Suite struct CheckStreamTests {
  private func open(
    _ stream: UInt32, _ method: Method = .check, _ check: CheckOptions? = CheckOptions(),
    _ mode: StreamMode = .newest
  ) throws -> [UInt8] {
    try WatchCall.openFrame(CallHeader(stream: stream), method)
      + WatchCall.startFrame(
        stream: stream, WatchStart(options: DetectionOptions(), mode: mode, check: check))
  }

  private func frame(_ stream: UInt32, _ id: UInt64, attempt: UInt32) throws -> [UInt8] {
    let file: [UInt8] = [7]
    return try file.withUnsafeBytes { bytes in
      try WatchCall.requestFrame(
        stream: stream, FrameInfo(number: id, timestamp: id, attempt: attempt), MessageImage(.encoded(bytes)))
    }
  }

  @Test func eachFrameHasItsReport() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    var options = CheckOptions()
    options.actions = [.blink, .smile]
    options.mask = Circle(center: Point(x: 1, y: 2), radius: 3)
    try peer.send(try open(3, .check, options))
    for id in 1...5 as ClosedRange<UInt64> {
      try peer.send(try frame(3, id, attempt: id < 4 ? 1 : 2))
      let answer = try peer.receiveWatch()
      let report = try #require(answer.check)
      #expect(answer.frame.number == id && report.actionsDone == Int(id) && report.actionCount == 2)
      // A new attempt counts from 1.
      #expect(report.progress == Float(id < 4 ? id : id - 3) && report.attempt == (id < 4 ? 1 : 2))
      #expect(report.circle == options.mask)
      #expect(report.isBest == (id == 2 || id == 5))
      #expect(report.pictures.map(\.form) == (id == 3 ? [.jpeg, .jpeg] : []))
      // Faces are followed though tracking was not requested.
      #expect(answer.result?.faces.first?.track?.frameCount == UInt32(id))
    }
    try peer.send(StreamEnd.dataFrame(stream: 3))
    let end = #expect(throws: Status.self) { _ = try peer.receiveWatch() }
    #expect(end?.code == .ok)
    let methods = try Client(socket: engine.socket).stats().methods
    #expect(methods.first { $0.method == "faceengine.v1.Detector/Check" }?.calls == 5)
  }

  @Test func watchRefusesCheckOptionsAndCheckRequiresThem() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try open(3, .check, nil))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    try peer.send(try open(5, .watch, CheckOptions()))
    #expect(try peer.receiveStatus().failure?.message.contains("open a Check") == true)
    var unary = try WatchCall.openFrame(CallHeader(stream: 7), .check)
    unary[9] = 0
    try peer.send(unary)
    #expect(try peer.receiveStatus().failure?.message.contains("Check needs a stream") == true)
  }

  /// Each check keeps a picture, so a user's number of checks is bounded over all connections; photos keep
  /// none.
  @Test func checksPerUserAreBounded() throws {
    let engine = try TestServer { $0.limits.checksPerUser = 2 }
    let (peer, other) = (try RawPeer(engine.socket), try RawPeer(engine.socket))
    var photo = CheckOptions()
    photo.isStill = true
    for (stream, peer) in [(UInt32(3), peer), (3, other)] {
      try peer.send(try open(stream) + frame(stream, 1, attempt: 1))
      #expect(try peer.receiveWatch().check != nil)
    }
    try peer.send(try open(5, .check, photo) + frame(5, 1, attempt: 1))
    #expect(try peer.receiveWatch().check != nil)
    try peer.send(try open(7))
    let refusal = try #require(try peer.receiveStatus().failure)
    #expect(refusal.code == .resourceExhausted && refusal.message.contains("guided checks"))
    try other.send(StreamEnd.dataFrame(stream: 3))
    #expect(throws: Status.self) { _ = try other.receiveWatch() }
    try peer.send(try open(9) + frame(9, 1, attempt: 1))
    #expect(try peer.receiveWatch().check != nil, "there is room again")
  }

  /// If the client keeps them, no pictures cross the socket, and the engine need not bound the number of
  /// checks.
  @Test func clientCanKeepThePictures() throws {
    let engine = try TestServer { $0.limits.checksPerUser = 1 }
    let peer = try RawPeer(engine.socket)
    var options = CheckOptions()
    options.callerKeepsPicture = true
    for stream in [3, 5, 7] as [UInt32] {
      try peer.send(try open(stream, .check, options))
      for id in 1...3 as ClosedRange<UInt64> {
        try peer.send(try frame(stream, id, attempt: 1))
        let report = try #require(try peer.receiveWatch().check)
        #expect(report.isBest == (id == 2))
        #expect(report.pictures.map(\.form) == (id == 3 ? [.keptByCaller, .keptByCaller] : []))
        #expect(
          report.pictures.allSatisfy { $0.bytes.isEmpty && $0.size == PixelSize(width: 20, height: 30) })
      }
    }
    try peer.send(try open(9) + frame(9, 1, attempt: 1))
    #expect(try peer.receiveWatch().check != nil, "one with a picture in the engine may be open")
  }

  @Test func droppedAndFailedFramesHaveNoReport() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try open(3) + frame(3, 1, attempt: 1))
    engine.detector.waitUntilRunning(1)
    try peer.send(try frame(3, 2, attempt: 1) + frame(3, 3, attempt: 1))
    engine.detector.release()
    #expect(try peer.receiveWatch().check != nil)
    let dropped = try peer.receiveWatch()
    #expect(dropped.outcome == .dropped(total: 1) && dropped.check == nil)
    #expect(try peer.receiveWatch().check?.progress == 2)
  }

  @Test func engineAnnouncesGuidedChecks() throws {
    let engine = try TestServer()
    #expect(try Client(socket: engine.socket).info().features.contains("detect.check"))
  }
}

extension CheckReport {
  /// The pictures of a result.
  fileprivate var pictures: [CheckPicture] {
    events.flatMap { event -> [CheckPicture] in
      if case .result(let result) = event { [result.picture, result.crop] } else { [] }
    }
  }
}
