import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch --check`: live frames through the guided check.
@Suite struct WatchCheckTests {
  /// The woman is in the circle in every frame of `grayStream`, 40 ms apart, and right from the first on.
  private static let standing = ["--model", Checkout.model, "--check", "--mask", "268,227,160"]

  /// The events are those of `face-engine check` for the same frames as files.
  @Test func watchCheckReportsWhatCheckReports() throws {
    let folder = try TemporaryFolder()
    let frames = try (0..<25).map { index in
      let path = folder.path("\(index + 10).jpg")
      try FileManager.default.copyItem(atPath: Checkout.photo, toPath: path)
      return path
    }
    let how = ["--model", Checkout.model, "--mask", "268,227,160", "--hold", "0.5", "--fps", "20"]
    let check = try Command.faceEngine(["check", "--min-hits", "1"] + how + frames)
    let watch = try WatchCommandTests.watch(["--check", "--once"] + how + [folder.path])
    #expect(check.status == 0 && watch.status == 0, "\(check.errors)\(watch.errors)")
    /// The part of a line after the frame's name.
    func said(_ command: Command) -> [Substring] {
      command.lines.compactMap { line in line.range(of: "\"image\"").map { line[$0.lowerBound...] } }
    }
    #expect(said(check) == said(watch) && said(check).count == check.lines.count)
    #expect(check.lines.count > 20)
  }

  @Test func theNextCheckBeginsAfterThePause() throws {
    let command = try WatchCommandTests.watch(
      Self.standing + ["--start-delay", "0", "--hold", "0.4", "--pause", "0.2", "-"],
      input: try WatchCommandTests.grayStream(40))
    #expect(command.status == 0, "\(command.errors)")
    let states = try command.json.filter { $0.state != nil }
    let attempt = ["waiting", "start", "checking", "finish"]
    try #require(states.count >= 8)
    #expect(states.prefix(8).map(\.state) == attempt + attempt)
    let times = states.compactMap(\.timestamp)
    #expect(times[4] - times[3] == 200_000_000)
    #expect(try command.json.count { $0.event == "result" } >= 2)
  }

  @Test func onceExitsWithTheOutcomeOfTheCheck() throws {
    let stream = try WatchCommandTests.grayStream(40)
    let late = try WatchCommandTests.watch(
      Self.standing + ["--once", "--actions", "blink", "--timeout", "0.5", "-"], input: stream)
    #expect(late.status == 1)
    let events = try late.json
    #expect(events.last?.event == "failed" && events.last?.code == "time_out")
    #expect((events.last?.frame ?? 40) < 40)
    // The input ends before the check does.
    let short = try WatchCommandTests.watch(
      Self.standing + ["--once", "--hold", "10", "-"], input: stream)
    #expect(short.status == 1)
    #expect(try short.json.compactMap(\.state) == ["waiting", "start", "checking"])
  }

  /// Frames that cannot be read are reported, and the check continues.
  @Test func brokenFrameIsReportedAndTheCheckContinues() throws {
    let folder = try TemporaryFolder()
    for index in 0..<20 {
      let path = folder.path("\(index + 10).jpg")
      if index == 5 {
        try folder.write("15.jpg", "no picture".utf8)
      } else {
        try FileManager.default.copyItem(atPath: Checkout.photo, toPath: path)
      }
    }
    let command = try WatchCommandTests.watch(
      Self.standing + ["--once", "--fps", "20", "--start-delay", "0", "--hold", "0.5", folder.path])
    #expect(command.status == 1)
    let events = try command.json
    #expect(events.filter { $0.error != nil }.map(\.frame) == [6])
    #expect(events.last?.event == "result")
  }

  @Test func theAnnotatedStreamShowsCircleAndTip() throws {
    let folder = try TemporaryFolder()
    try WatchCommandTests.grayStream(2).write(to: URL(filePath: folder.path("gray.y4m")))
    func marked(_ options: String) throws -> [UInt8] {
      try Command.run(
        "bash",
        ["-c", "'\(Checkout.engine)' watch --model '\(Checkout.model)' \(options) --y4m gray.y4m > out.y4m"],
        in: folder.path
      ).succeeded()
      return [UInt8](try Data(contentsOf: URL(filePath: folder.path("out.y4m"))))
    }
    let (plain, check) = (try marked(""), try marked("--check --mask 268,227,160"))
    try #require(plain.count == check.count)
    let first = try #require(check.firstIndex(of: 0x0A)) + 1 + 6
    /// The number of pixels in these rows of the first frame that are white and were not.
    func whitened(_ rows: Range<Int>, _ columns: Range<Int>) -> Int {
      rows.reduce(0) { count, row in
        count
          + columns.count {
            check[first + row * 512 + $0] > 220 && plain[first + row * 512 + $0] < 200
          }
      }
    }
    // One at the left end of the circle, and letters at the bottom.
    #expect(whitened(220..<234, 104..<112) > 20)
    #expect(whitened(530..<575, 100..<412) > 100)
    #expect(whitened(420..<500, 0..<512) == 0)
  }
}
