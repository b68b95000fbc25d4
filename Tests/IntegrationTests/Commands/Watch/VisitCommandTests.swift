import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch --visits`.
@Suite struct VisitCommandTests {
  private struct Visit: Decodable, Equatable {
    let event: String?
    let frame, visit, id, timestamp, firstSeen, lastSeen, present: Int?
    let stayed, looked: Double?
  }

  /// Two visits of the photo's face in a stream of four frames a second: the first one with a gap of half a second.
  private static func stream() throws -> Data {
    let photo = try WatchCommandTests.grayStream(1).dropFirst(WatchCommandTests.header.utf8.count)
    let nobody = Data("FRAME\n".utf8) + Data(count: photo.count - 6)
    var stream = Data("YUV4MPEG2 W512 H600 F4:1 Cmono\n".utf8)
    for step in "FFFF.FFFF.......FFFF" { stream += step == "F" ? photo : nobody }
    return stream
  }

  private static let options = [
    "watch", "--visits", "--min-hits", "1", "--detection-interval", "1", "--max-look-angle", "90", "-",
  ]

  private static func run(_ options: [String]) throws -> Command {
    let folder = try TemporaryFolder()
    return try Command.run(
      Checkout.engine, options, environment: ["XDG_RUNTIME_DIR": folder.path], input: try stream())
  }

  @Test func arrivalsAndDeparturesArePrinted() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("face.prom")
    let command = try Self.run(Self.options + ["--model", Checkout.model, "--openmetrics", file]).succeeded()
    let visits = try command.lines.map { try JSONDecoder().decode(Visit.self, from: Data($0.utf8)) }
    #expect(visits.map(\.event) == ["came", "left", "came", "left"])
    #expect(visits.map(\.visit) == [1, 1, 2, 2] && visits.map(\.present) == [1, 0, 1, 0])
    #expect(visits.map(\.frame) == [3, 16, 19, 20])
    #expect(visits.map(\.stayed) == [0.5, 2, 0.5, 0.75] && visits.map(\.looked) == [0.5, 1.5, 0.5, 0.75])
    #expect(visits.map(\.firstSeen) == [0, 0, 4_000_000_000, 4_000_000_000])
    #expect(visits[1].lastSeen == 2_000_000_000 && visits[1].timestamp == 3_750_000_000)
    let metrics = Command.text(file)
    for line in [
      "# TYPE face_watch_visits counter", "face_watch_visits_total 2", "face_watch_visitors 0",
      "# UNIT face_watch_visit_stay_seconds seconds", "face_watch_visit_stay_seconds_bucket{le=\"1.0\"} 1",
      "face_watch_visit_stay_seconds_sum 2.75", "face_watch_visit_stay_seconds_count 2",
      "face_watch_visit_look_seconds_sum 2.25", "# EOF",
    ] {
      #expect(metrics.split(separator: "\n").contains(Substring(line)), "\(line)\n\(metrics)")
    }
    // The file was replaced, and nothing else is left beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["face.prom"])
  }

  @Test func anEngineGivesTheSameVisits() throws {
    let engine = try RunningEngine()
    let here = try Self.run(Self.options + ["--model", Checkout.model]).succeeded()
    let there = try Self.run(Self.options + ["--through", engine.socket]).succeeded()
    #expect(here.output == there.output && here.lines.count == 4)
  }

  @Test(arguments: [
    (["--visits", "--check"], "--visits prints its own lines"),
    (["--visits", "--y4m"], "--visits prints its own lines"),
    (["--openmetrics", "x"], "need --visits"), (["--min-stay", "1"], "need --visits"),
    (["--visits", "--max-look-angle", "91"], "max_look_angle is 91.0; give 0 to 90"),
  ])
  func wrongUsageIsNamed(arguments: [String], message: String) throws {
    let command = try Command.faceEngine(["watch"] + arguments + ["-"])
    #expect(command.status == 2 && command.errors.contains(message), "\(command.errors)")
  }

  /// The hand-counted clips of docs/counting.md.
  @Test(
    .needsClips,
    arguments: [
      ("classroom.gif", 4), ("face-demographics-walking.gif", 2), ("head-pose-face-detection-female-and-male.gif", 2),
    ])
  func clipsAreCountedAsByHand(clip: String, people: Int) throws {
    let command = try Command.faceEngine(
      ["watch", "--visits", "--model", Checkout.model, "\(Clips.folder)/\(clip)"]
    ).succeeded()
    let events = try command.json.map(\.event)
    #expect(events.count { $0 == "came" } == people && events.count == 2 * people, "\(command.output)")
  }
}
