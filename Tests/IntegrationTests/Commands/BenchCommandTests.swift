import Foundation
import TestSupport
import Testing

/// Tests `face-engine bench`, without asserting any time.
@Suite struct BenchCommandTests {
  private struct Report: Decodable {
    struct Times: Decodable {
      let count, p50, p90, p99, max: Int
    }
    struct Cost: Decodable {
      let outputs: [String]
      let whole: Times
      let perFace: Int?
    }
    struct Image: Decodable {
      let image: String
      let width, height, inputWidth, inputHeight, faces: Int
      let searched: [String: Times]
      let followed: [String: Times]?
      let costs: [Cost]?
    }
    let version, model, engine, accuracy, time: String
    let processors, threadsPerFrame, rounds, frames, warmUp: Int
    let images: [Image]
  }

  private func report(_ arguments: [String]) throws -> Report {
    let command = try Command.faceEngine(["bench", "--json", "--warm-up", "1"] + arguments).succeeded()
    #expect(command.lines.count == 1)
    return try JSONDecoder().decode(Report.self, from: Data(command.output.utf8))
  }

  private static let detection: Set = ["whole", "decode", "convert", "network", "boxes"]

  @Test func reportHasEveryStage() throws {
    let report = try report(["--rounds", "2", "--frames", "3", Checkout.photo])
    #expect(!report.version.isEmpty && report.model == "yunet" && report.accuracy == "balanced")
    #expect(report.processors >= 1 && report.threadsPerFrame == 1 && !report.engine.isEmpty)
    #expect(report.rounds == 2 && report.frames == 3 && report.warmUp == 1 && report.time == "wall")
    #expect(report.images.count == 1)
    let image = try #require(report.images.first)
    #expect(image.image == Checkout.photo && image.faces == 1)
    #expect(image.width == 512 && image.height == 600 && image.inputWidth == 512 && image.inputHeight == 608)
    let followed = try #require(image.followed)
    // A decoded file that already has the size is passed to the network as it is.
    #expect(Set(image.searched.keys) == Self.detection.subtracting(["convert"]).union(["points"]))
    // Dense points follow a face without the detector.
    #expect(Set(followed.keys) == ["decode", "points", "tracking", "whole"])
    for (times, count) in [(image.searched, 2), (followed, 3)] {
      for (stage, time) in times {
        #expect(time.count == count, "\(stage)")
        #expect(
          0 < time.p50 && time.p50 <= time.p90 && time.p90 <= time.p99 && time.p99 <= time.max, "\(stage)")
      }
      let stages = times.filter { $0.key != "whole" }.values.map(\.max).max() ?? 0
      #expect(stages <= times["whole"]?.max ?? 0)
    }
  }

  @Test func costsRiseWithTheOutputs() throws {
    let report = try report(["--rounds", "2", "--frames", "0", Checkout.photo])
    let costs = try #require(report.images.first?.costs)
    #expect(
      costs.map(\.outputs) == [[], ["landmarks", "pose"], ["landmarks", "pose", "expressions"]])
    #expect(costs.allSatisfy { $0.whole.count == 2 && $0.whole.p50 > 0 })
    #expect(costs[0].perFace == nil)
    for cost in costs.dropFirst() {
      let perFace = try #require(cost.perFace)
      #expect(0 < perFace && perFace <= cost.whole.max)
    }
  }

  @Test func onlyRequestedStagesAreMeasured() throws {
    let report = try report([
      "--rounds", "1", "--frames", "0", "--no-points", "--processor-time", "--accuracy", "high", "--max-side",
      "448", Checkout.photo, Checkout.otherPhoto,
    ])
    #expect(report.accuracy == "high" && report.time == "processor")
    #expect(report.images.map(\.image) == [Checkout.photo, Checkout.otherPhoto])
    for image in report.images {
      #expect(image.followed == nil && image.costs == nil)
      #expect(Set(image.searched.keys) == Self.detection)
      #expect(max(image.inputWidth, image.inputHeight) == 448)
    }
  }

  @Test func samplePhotosAreSearchedByDefault() throws {
    let report = try report(["--rounds", "1", "--frames", "0", "--no-points"])
    #expect(
      Set(report.images.map { URL(filePath: $0.image).lastPathComponent })
        == ["astronaut.png", "grace_hopper.jpg"])
  }

  @Test func theTableHasEveryStage() throws {
    let command = try Command.faceEngine([
      "bench", "--rounds", "1", "--frames", "1", "--max-side", "448", Checkout.photo,
    ]).succeeded()
    for stage in ["decode", "convert", "network", "decode boxes", "points", "tracking", "all"] {
      #expect(command.lines.contains { $0.hasPrefix("\(stage)  ") }, "\(stage)")
    }
    for step in ["boxes", "+ points, pose", "+ expressions"] {
      #expect(command.lines.contains { $0.hasPrefix("\(step)  ") }, "\(step)")
    }
    #expect(command.lines.contains { $0.hasSuffix("512×600, seen by the network at 384×448, 1 face") })
  }

  @Test func missingSamplePhotosRequireAnImage() throws {
    let folder = try TemporaryFolder()
    let command = try Command.run(
      Checkout.engine, ["bench"], environment: ["FACE_ENGINE_MODELS": folder.path("Models")])
    #expect(command.status == 2)
    #expect(command.errors.contains("name at least one image"))
  }

  @Test func unreadableImageOrUnknownModelIsReported() throws {
    let missing = try Command.faceEngine(["bench", "/nonexistent.jpg"])
    #expect(missing.status == 1 && missing.errors.contains("/nonexistent.jpg"))
    let folder = try TemporaryFolder()
    let text = try Command.faceEngine(["bench", try folder.write("note.txt", "text".utf8)])
    #expect(text.status == 1 && text.errors.contains("note.txt"))
    let unknown = try Command.faceEngine(["bench", "--use", "other", Checkout.photo])
    #expect(unknown.status == 1 && unknown.errors.hasPrefix("face-engine: no model \"other\""))
  }
}
