import FaceCore
import TestSupport
import Testing
import Wire

/// The parts of `Detector/Check` beyond `Detector/Watch`.
@Suite struct CheckCodingTests {
  @Test(arguments: [CoordinateSpace.pixels, .normalised, .normalisedBottomLeft, .pixelsBottomLeft])
  func spacesRoundTrip(space: CoordinateSpace) throws {
    let check = adjusted(CheckOptions()) { $0.space = space }
    let start = WatchStart(options: DetectionOptions(), mode: .newest, check: check)
    #expect(try Sent.start(start) == start)
  }

  /// Each absent member has the reader's default; a `check` is present even without bytes.
  @Test func absentOptionsHaveTheirDefaults() throws {
    let absent: [UInt8] = [0x0a, 2, 0x22, 0]
    #expect(
      try WatchCall.request(absent.span)
        == .start(WatchStart(options: DetectionOptions(), mode: .newest, check: CheckOptions())))
  }

  @Test(
    arguments: [
      ([0x28, 9], "actions"), ([0x28, 0], "actions"),  // no such action
      ([0x0a, 2, 0x08, 9], "space.kind"), ([0x0a, 4, 0x08, 3, 0x20, 9], "space.fit"),
      ([0x0a, 4, 0x08, 3, 0x28, 1], "space.rotation"), ([0x0a, 2, 0x08, 3], "view"),
      ([0x12, 0], "mask"), ([0x8d, 1, 0, 0, 0xc0, 0x7f], "hysteresis"), ([0xf8, 1, 1], "crop_size"),
    ] as [([UInt8], String)])
  func wrongOptionsAreNamed(options: [UInt8], name: String) {
    let bytes = field(1, field(4, options))
    expectFailure(.invalidArgument, name) { try WatchCall.request(bytes.span) }
  }

  @Test func theLargestTimeIsTaken() {
    let bytes = field(1, field(4, [0x50] + [UInt8](repeating: 0xff, count: 9) + [1]))
    #expect(throws: Never.self) { _ = try WatchCall.request(bytes.span) }
  }

  // MARK: Reports

  private func answer(_ events: [CheckEvent]) -> FrameEvent {
    let report = adjusted(GoldenValues.report) { $0.events = events }
    return FrameEvent(frame: FrameInfo(number: 1), outcome: .faces(GoldenValues.smallResult), check: report)
  }

  private func result(_ form: CheckPicture.Form, bytes: Int) -> CheckEvent {
    let picture = CheckPicture(
      size: PixelSize(width: 4096, height: 2304), form: form, bytes: [UInt8](repeating: 9, count: bytes))
    let face = GoldenValues.bareFace
    return .result(CheckResult(face: face, picture: picture, crop: picture, cropBox: face.box))
  }

  /// Also tips that the recorded bytes do not have, and pictures of all sizes.
  @Test func reportsRoundTrip() throws {
    let events =
      [result(.jpeg, bytes: 1_500_000), result(.keptByCaller, bytes: 0)] + Tip.allCases.map { .tip($0) }
    #expect(try Sent.event(answer(events)) == answer(events))
    expectFailure(.resourceExhausted) {
      try Sent.event(answer([result(.jpeg, bytes: FrameHeader.maxLength)]))
    }
  }

  @Test func unknownTipsOfLaterEnginesAreIgnored() throws {
    var body = Sent.body(try WatchCall.responseFrame(stream: 3, answer([.tip(.done), .clear])))
    let place = try #require(body.indices.dropLast().last { body[$0] == 0x10 && body[$0 + 1] == 26 })
    body[place + 1] = 99
    #expect(try WatchCall.response(body.span) == answer([.clear]))
  }
}
