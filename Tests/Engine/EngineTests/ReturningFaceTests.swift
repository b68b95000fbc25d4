import Engine
import FaceCore
import TestSupport
import Testing

/// Faces that return within ten seconds, as the engine's tracker sees them in pictures.
@Suite(.needsRealModel) final class ReturningFaceTests: EngineSuite {
  private static let empty = Photo.empty

  /// Processes the pictures one after the other, half a second each, and returns the ids and those that left.
  /// - Parameter pictures: `nil` for a frame that fails.
  private func process(
    _ pictures: [Picture?], _ outputs: FaceOutputs = [], reidentifies: Bool = true, rate: Float = 0
  ) throws -> [(ids: [UInt64], left: [UInt64])] {
    var tracking = TrackingOptions.idsAtOnce
    tracking.maxMissedFrames = 1
    tracking.detectionInterval = 1
    tracking.reidentifies = reidentifies
    tracking.analysisRate = rate
    let tracker = try engine.makeTracker(tracking)
    var options = DetectionOptions()
    options.outputs = outputs
    return pictures.enumerated().map { number, picture in
      let frame = FrameInfo(number: UInt64(number) + 1, timestamp: 500_000_000 * UInt64(number + 1))
      do {
        // A frame that fails.
        if picture == nil { options.minConfidence = 2 }
        defer { options.minConfidence = DetectionOptions().minConfidence }
        let (result, left) = try (picture ?? Self.empty).withView(.bgra) { view throws(Status) in
          try tracker.trackFaces(ImageInput(.pixels(view)), frame, options: options)
        }
        return (result.faces.compactMap { $0.track?.id }, left)
      } catch {
        #expect(picture == nil)
        return ([], [])
      }
    }
  }

  /// The picture smaller, at another place, and darker.
  private func changed(_ picture: Picture) -> Picture {
    let view = Photo.view(of: picture, PixelSize(width: 420, height: 420), turned: 8, scale: 1.3) { x, y in
      (x: x - 40, y: y + 20)
    }
    func dark(_ value: UInt8) -> UInt8 { UInt8(Int(value) * 3 / 4) }
    return Picture(420, 420) { x, y in
      let pixel = view[x, y]
      return RGB(dark(pixel.red), dark(pixel.green), dark(pixel.blue))
    }
  }

  @Test(arguments: [[], FaceOutputs.pose]) func aFaceThatReturnsHasItsIdAgain(_ outputs: FaceOutputs) throws {
    let people = try Photo.twoPeople()
    for person in [people.unsmiling, people.smiling] {
      let frames = [person, person] + Array(repeating: Self.empty, count: 6) + [changed(person), person]
      let known = try process(frames, outputs)
      #expect(known.map(\.ids) == [[1], [1], [], [], [], [], [], [], [1], [1]])
      #expect(known.map(\.left) == [[], [], [], [1], [], [], [], [], [], []])
      let unknown = try process(frames, outputs, reidentifies: false)
      #expect(unknown.map(\.ids) == [[1], [1], [], [], [], [], [], [], [2], [2]])
    }
  }

  @Test(arguments: [[], FaceOutputs.pose]) func anotherPersonHasAnotherId(_ outputs: FaceOutputs) throws {
    let people = try Photo.twoPeople()
    let (one, other) = (people.unsmiling, people.smiling)
    let frames = [one, one, Self.empty, Self.empty, other, Self.empty, Self.empty, changed(one), Self.empty]
    let found = try process(frames + [Self.empty, changed(other)], outputs)
    #expect(found.map(\.ids) == [[1], [1], [], [], [2], [], [], [1], [], [], [2]])
  }

  @Test func aFaceThatLeftInAFrameThatFailedAndReturnsHasNotLeft() throws {
    let person = try Photo.twoPeople().smiling
    let found = try process([person, nil, nil, nil, person, Self.empty, Self.empty])
    #expect(found.map(\.ids) == [[1], [], [], [], [1], [], []])
    #expect(found.map(\.left) == [[], [], [], [], [], [], [1]])
  }

  @Test func framesBetweenTwoSearchesCountAsTime() throws {
    let person = try Photo.twoPeople().smiling
    let frames = Array(repeating: person, count: 4) + Array(repeating: Self.empty, count: 12)
    let found = try process(frames + Array(repeating: person, count: 4), rate: 1)
    #expect(found.first?.ids == [1] && found.last?.ids == [1])
    #expect(found.flatMap(\.left) == [1])
  }
}
