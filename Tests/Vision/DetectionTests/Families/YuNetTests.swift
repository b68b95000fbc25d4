import Detection
import FaceCore
import TestSupport
import Testing

/// Decoding of synthetic maps.
@Suite struct YuNetTests {
  private static let family = YuNet.withStrides([8])

  /// One level of 4 columns and 3 rows.
  private func level(
    _ classification: [Float], _ objectness: [Float], width: Int = 4, height: Int = 3
  ) -> Recording {
    Recording(
      maps: zip([1, 1, 4, 10], [classification, objectness, [], []]).map { channels, values in
        let count = channels * width * height
        return .init(
          channels: channels, height: height, width: width,
          values: values.isEmpty ? [Float](repeating: 0, count: count) : values)
      })
  }

  private func decode(_ recording: Recording, _ minConfidence: Float) throws -> [Face] {
    try recording.withViews { try Self.family.decode($0, minConfidence: minConfidence) }
  }

  @Test func scoresOutsideTheirRangeAreClampedAndNoNumberIsNoFace() throws {
    let classification: [Float] = [2, -1, .nan, 0.25, .infinity, -.infinity, 1, 1, 0, 0, 0, 0]
    let objectness: [Float] = [1, -1, 1, 4, 0.25, 1, .nan, 0, 0, 0, 0, 0]
    let faces = try decode(level(classification, objectness), 0.1)
    #expect(faces.map(\.confidence) == [1, 0.5, 0.5])
  }

  /// A face is at least as confident as the threshold, and one exactly as confident is kept.
  @Test func theThresholdItselfIsKeptAndAnythingBelowIsNot() throws {
    var generator = SeededGenerator(seed: 30)
    let classification = (0..<600).map { _ in Float.random(in: 0.01...1, using: &generator) }
    let objectness = (0..<600).map { _ in Float.random(in: 0.01...1, using: &generator) }
    let recording = level(classification, objectness, width: 30, height: 20)
    let all = try decode(recording, 0)
    #expect(all.count == 600)
    for face in all {
      let atLeast = all.filter { $0.confidence >= face.confidence }
      #expect(try decode(recording, face.confidence) == atLeast)
    }
  }
}
