import Foundation
import TestSupport
import Testing

@Suite struct QualityCommandTests {
  private static let measures = [
    "headPoseYaw", "headPosePitch", "headPoseRoll", "interEyeDistance", "headSize",
    "leftwardCropOfTheFaceImage", "rightwardCropOfTheFaceImage", "marginAboveOfTheFaceImage",
    "marginBelowOfTheFaceImage", "singleFacePresent", "illuminationUniformity", "luminanceMean",
    "luminanceVariance", "underExposurePrevention", "overExposurePrevention", "dynamicRange",
    "naturalColour", "eyesOpen", "mouthClosed",
  ]

  private func command(_ arguments: [String]) throws -> Command {
    try Command.faceEngine(["quality", "--model", Checkout.model] + arguments)
  }

  @Test func theMeasuresHaveTheStandardsNames() throws {
    let command = try command(["--iso", "--json", Checkout.photo])
    #expect(command.status == 0, "\(command)")
    let answer =
      try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any]
    let face = try #require((answer?["faces"] as? [[String: Any]])?.first)
    let measures = try #require(face["isoQuality"] as? [String: [String: Double]])
    #expect(Set(measures.keys) == Set(Self.measures) && face["quality"] == nil)
    for (name, value) in measures {
      #expect(
        Set(value.keys) == ["native", "component"] && (0...100).contains(value["component"] ?? -1), "\(name)")
    }
  }

  /// A running engine measures the same, and the same is printed as a table.
  @Test func anEngineMeasuresTheSame() throws {
    let engine = try RunningEngine()
    for flags in [["--iso"], ["--iso", "--json"], [], ["--json"]] {
      let here = try command(flags + [Checkout.photo, Checkout.otherPhoto])
      let there = try Command.faceEngine(
        ["quality", "--socket", engine.socket] + flags + [Checkout.photo, Checkout.otherPhoto])
      #expect(here.status == 0 && here.output == there.output, "\(there)")
    }
  }

  @Test func theTableNamesEachMeasure() throws {
    let iso = try command(["--iso", Checkout.photo]).lines
    #expect(iso.count == 2 + Self.measures.count && iso[0].hasSuffix("512×600, 1 face"))
    for (line, name) in zip(iso.dropFirst(2), Self.measures) { #expect(line.hasPrefix("  \(name) ")) }
    let quality = try command([Checkout.photo]).lines
    #expect(quality.count == 8 && quality[2].hasPrefix("  overall "))
  }

  @Test func failuresAreReported() throws {
    let missing = try command(["/nowhere.jpg", Checkout.photo])
    #expect(missing.status == 1 && missing.errors.contains("/nowhere.jpg") && missing.lines.count == 8)
  }
}
