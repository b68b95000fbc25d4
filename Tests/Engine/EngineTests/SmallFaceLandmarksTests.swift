import Engine
import FaceCore
import TestSupport
import Testing

/// Upright faces of 12 to 30 pixels under noise, in which the mesh network often sees a face at another angle.
@Suite(.needsRealModel, .needsAnalysisModels) final class SmallFaceLandmarksTests: EngineSuite {
  /// Degrees between the line of the detector's eyes and any other sign of a face's roll.
  private static let maxDifference: Float = 30

  /// Rows of the same two people, smaller from row to row, each face with noise of its own.
  private static func crowd(seed: UInt64) throws -> Picture {
    let (tile, columns, sides) = (56, 14, Array(stride(from: 28, through: 54, by: 2)))
    let people = try Photo.twoPeople()
    var generator = SeededGenerator(seed: seed)
    var crowd = Picture(columns * tile, sides.count * tile) { _, _ in RGB(128, 128, 128) }
    for (row, side) in sides.enumerated() {
      let small = [people.unsmiling, people.smiling].map { Photo.areas($0, side: side) }
      for column in 0..<columns {
        for y in 0..<side {
          for x in 0..<side {
            crowd[column * tile + x, row * tile + y] = noisy(small[column % 2][x, y], &generator)
          }
        }
      }
    }
    return crowd
  }

  private static func noisy(_ colour: RGB, _ generator: inout SeededGenerator) -> RGB {
    func noisy(_ value: UInt8) -> UInt8 {
      // About normal, with a standard deviation of 25.
      let sum = (0..<4).reduce(0) { sum, _ in sum + Int.random(in: -21...21, using: &generator) }
      return UInt8(clamping: Int(value) + sum)
    }
    return RGB(noisy(colour.red), noisy(colour.green), noisy(colour.blue))
  }

  private func detect(
    _ crowd: Picture, _ outputs: FaceOutputs, _ rotations: Rotations
  ) throws -> [Face] {
    let options = adjusted(DetectionOptions()) { ($0.outputs, $0.rotations) = (outputs, rotations) }
    return try engine.detect(crowd, options).faces
  }

  private static func roll(_ points: FivePoints) -> Float { Photo.angle(points.rightEye, points.leftEye) }

  /// Asserts that no output of `faces` contradicts the points that the detector alone gives the same faces.
  /// - Returns: how many faces have a pose, and how many have none.
  private func compare(_ faces: [Face], with detected: [Face]) throws -> (posed: Int, others: Int) {
    var count = (posed: 0, others: 0)
    for face in faces {
      guard let alone = detected.first(where: { $0.box.intersectionOverUnion(face.box) > 0.5 }) else {
        continue
      }
      let roll = Self.roll(try #require(alone.points))
      let points = try #require(face.points)
      #expect(Photo.difference(Self.roll(points), roll) <= Self.maxDifference, "\(face.box)")
      guard let pose = face.pose else {
        #expect(face.landmarks == nil && points == alone.points)
        count.others += 1
        continue
      }
      #expect(Photo.difference(pose.roll, roll) <= Self.maxDifference, "\(face.box): \(pose.roll)")
      count.posed += 1
    }
    return count
  }

  @Test(arguments: [Rotations.upright, .any])
  func landmarksNeverContradictTheDetectorsEyes(rotations: Rotations) throws {
    let crowd = try Self.crowd(seed: 47)
    let count = try compare(
      try detect(crowd, [.landmarks, .pose], rotations), with: try detect(crowd, [], rotations))
    #expect(count.posed > 50 && count.others > 0, "\(count)")
  }

  /// Also where faces are followed by their landmarks from one frame to the next.
  @Test func landmarksNeverContradictTheDetectorsEyesInASession() throws {
    let options = adjusted(DetectionOptions()) { $0.outputs = [.pose] }
    let tracker = try engine.tracker()
    for seed in 1...4 {
      let crowd = try Self.crowd(seed: UInt64(seed))
      let (result, _) = try tracker.track(crowd, options)
      var posed = 0
      for face in result.faces {
        guard let pose = face.pose else { continue }
        #expect(pose.roll.magnitude <= 2 * Self.maxDifference, "frame \(seed), \(face.box): \(pose.roll)")
        posed += 1
      }
      #expect(posed > 50, "frame \(seed)")
    }
  }
}
