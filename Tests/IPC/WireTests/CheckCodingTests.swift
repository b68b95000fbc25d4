import CProtocol
import FaceCore
import Testing
import Wire

/// The parts of `Detector/Check` beyond `Detector/Watch`.
@Suite struct CheckCodingTests {
  private func body(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(10)) }

  @Test func startsRoundTrip() throws {
    let start = WatchStart(
      options: DetectionOptions(), mode: .every, tracking: TrackingOptions(), check: CheckOptions())
    let first = body(try WatchCall.startFrame(stream: 3, start))
    #expect(try WatchCall.request(first.span) == .start(start))
    for space in [CoordinateSpace.pixels, .normalised, .normalisedBottomLeft, .pixelsBottomLeft] {
      var options = CheckOptions()
      options.space = space
      let start = WatchStart(options: DetectionOptions(), mode: .newest, check: options)
      let body = body(try WatchCall.startFrame(stream: 3, start))
      #expect(try WatchCall.request(body.span) == .start(start))
    }
  }

  /// Each absent member has the reader's default; a `check` is present even without bytes.
  @Test func absentOptionsHaveTheirDefaults() throws {
    let absent: [UInt8] = [0x0a, 2, 0x22, 0]
    #expect(
      try WatchCall.request(absent.span)
        == .start(WatchStart(options: DetectionOptions(), mode: .newest, check: CheckOptions())))
    let open = body(try WatchCall.openFrame(CallHeader(stream: 3), .check))
    #expect(try RequestEnvelope(decoding: open.span).method == "Check")
  }

  @Test(
    arguments: [
      ([0x28, 9], "actions"), ([0x28, 0], "actions"),  // no such action
      ([0x0a, 2, 0x08, 9], "space.kind"), ([0x0a, 4, 0x08, 3, 0x20, 9], "space.fit"),
      ([0x0a, 4, 0x08, 3, 0x28, 1], "space.rotation"), ([0x0a, 2, 0x08, 3], "view"),
      ([0x12, 0], "mask"), ([0x50, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], ""),
      ([0x8d, 1, 0, 0, 0xc0, 0x7f], "hysteresis"), ([0xf8, 1, 1], "crop size"),
    ] as [([UInt8], String)])
  func wrongOptionsAreNamed(options: [UInt8], name: String) throws {
    let check = [0x22, UInt8(options.count)] + options
    let bytes = [0x0a, UInt8(check.count)] + check
    // The largest possible time is allowed.
    if name.isEmpty {
      #expect(throws: Never.self) { _ = try WatchCall.request(bytes.span) }
      return
    }
    let status = #expect(throws: Status.self) { _ = try WatchCall.request(bytes.span) }
    #expect(status?.code == .invalidArgument)
    #expect(status?.message.contains(name) == true, "\(status?.message ?? "") does not name \(name)")
  }

  @Test func framesHaveTheirAttempt() throws {
    let file: [UInt8] = [1]
    let frame = try file.withUnsafeBytes { bytes in
      try WatchCall.requestFrame(
        stream: 3, FrameInfo(number: 1, timestamp: 2, attempt: .max), MessageImage(.encoded(bytes)))
    }
    let body = body(frame)
    guard case .frame(let received) = try WatchCall.request(body.span) else {
      Issue.record("not a frame")
      return
    }
    #expect(received.info.attempt == .max)
  }

  // MARK: Reports

  private var face: Face {
    var face = Face(box: Box(x: 1, y: 2, width: 3, height: 4), confidence: 0.5, points: nil)
    face.track = Track(id: 7, frameCount: 2)
    return face
  }

  private func answer(_ events: [CheckEvent], isBest: Bool = false) -> FrameEvent {
    let report = CheckReport(
      attempt: 3, state: .checking, tip: .blink, progress: 0.25, actionsDone: 1, actionCount: 8,
      circle: Circle(center: Point(x: 1, y: 2), radius: 3), events: events, isBest: isBest)
    return FrameEvent(
      frame: FrameInfo(number: 1),
      outcome: .faces(DetectionResult(imageSize: PixelSize(width: 20, height: 30), faces: [face])),
      left: [4], check: report)
  }

  @Test func reportsRoundTrip() throws {
    let picture = CheckPicture(
      size: PixelSize(width: 20, height: 30), form: .jpeg, bytes: [UInt8](repeating: 9, count: 3_000_000))
    let crop = CheckPicture(size: PixelSize(width: 16, height: 16), form: .jpeg, bytes: [1])
    let events: [CheckEvent] =
      [
        .draw(face: 0), .clear,
        .result(
          CheckResult(
            face: face, picture: picture, crop: crop, cropBox: Box(x: -1, y: 2, width: 5, height: 5))),
        .failed(.faceLost),
      ] + CheckState.allCases.map { .status($0) } + Tip.allCases.map { .tip($0) }
    for (events, isBest) in [(events, true), (events, false), ([], false)] {
      let answer = answer(events, isBest: isBest)
      let body = body(try WatchCall.responseFrame(stream: 3, answer))
      #expect(try WatchCall.response(body.span) == answer)
    }
  }

  /// If the client has the frames, pictures have a size and no bytes.
  @Test func picturesKeptByTheClientHaveNoBytes() throws {
    let picture = CheckPicture(size: PixelSize(width: 4096, height: 2304), form: .keptByCaller, bytes: [])
    let crop = CheckPicture(size: PixelSize(width: 512, height: 512), form: .keptByCaller, bytes: [])
    let result = CheckResult(face: face, picture: picture, crop: crop, cropBox: face.box)
    let answer = answer([.result(result)])
    let body = body(try WatchCall.responseFrame(stream: 3, answer))
    #expect(body.count < 200)
    #expect(try WatchCall.response(body.span) == answer)
  }

  @Test func pictureBeyondAMessageIsRefused() throws {
    let huge = CheckPicture(
      size: PixelSize(width: 20, height: 30), form: .jpeg,
      bytes: [UInt8](repeating: 9, count: FrameHeader.maxLength))
    let result = CheckResult(face: face, picture: huge, crop: huge, cropBox: face.box)
    let status = #expect(throws: Status.self) {
      _ = try WatchCall.responseFrame(stream: 3, answer([.result(result)]))
    }
    #expect(status?.code == .resourceExhausted)
  }

  /// Unknown tips and events of later engines are ignored.
  @Test func unknownTipsOfLaterEnginesAreIgnored() throws {
    var body = body(try WatchCall.responseFrame(stream: 3, answer([.tip(.done), .clear])))
    let place = try #require(body.indices.dropLast().last { body[$0] == 0x10 && body[$0 + 1] == 26 })
    body[place + 1] = 99
    #expect(try WatchCall.response(body.span) == answer([.clear]))
  }
}
