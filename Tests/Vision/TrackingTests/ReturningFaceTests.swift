import FaceCore
import Testing
import Tracking

/// Faces that come back with the id that they had.
@Suite struct ReturningFaceTests {
  private struct Person {
    var seed: Int
    var x: Float
    var side: Float = 60
    var confidence: Float = 0.9
  }

  /// A scene whose tracker recognises returning faces. A frame is one second.
  private struct Scene {
    var tracker: FaceAssociator
    var time: Int64 = 100_000_000_000
    let size = PixelSize(width: 640, height: 480)

    init(maxMissedFrames: Int = 0, minHits: Int = 1, reidentifies: Bool = true) throws {
      var options = TrackingOptions()
      options.maxMissedFrames = maxMissedFrames
      options.minHits = minHits
      options.reidentifies = reidentifies
      tracker = try FaceAssociator(options)
    }

    /// Processes one frame, and returns the track of each person and the ids that left.
    mutating func frame(_ people: [Person], after seconds: Double = 1) throws -> (
      tracks: [Track?], left: [UInt64]
    ) {
      time += Int64(seconds * 1e9)
      let faces = people.map { Script.face($0.x, 200, $0.side, confidence: $0.confidence) }
      func person(_ box: Box) -> Person? { zip(people, faces).first { $1.box == box }?.0 }
      let update = tracker.update(
        faces, imageSize: size, minConfidence: 0.6, at: time,
        appearance: { box in person(box).flatMap { Script.appearance(of: $0.seed) } },
        aligned: { face in person(face.box).flatMap { MadeUpHead(seed: $0.seed).appearance } })
      return (faces.map { face in update.faces.first { $0.box == face.box }?.track }, update.left)
    }

    mutating func ids(_ people: [Person], after seconds: Double = 1) throws -> [UInt64] {
      try frame(people, after: seconds).tracks.map { $0?.id ?? 0 }
    }
  }

  @Test func aFaceThatReturnsHasItsIdAgain() throws {
    var scene = try Scene()
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
    #expect(try scene.frame([]).left == [1])
    // Elsewhere and larger.
    let back = try scene.frame([Person(seed: 1, x: 500, side: 100)])
    #expect(back.tracks == [Track(id: 1, frameCount: 2)] && back.left.isEmpty)
    #expect(try scene.frame([]).left == [1])
    #expect(try scene.ids([Person(seed: 2, x: 300)]) == [2])
  }

  @Test func withoutTheOptionNothingIsKept() throws {
    var options = TrackingOptions()
    (options.maxMissedFrames, options.minHits) = (0, 1)
    var tracker = try FaceAssociator(options)
    var asked = 0
    var ids: [UInt64?] = []
    for (second, isThere) in [true, true, false, true].enumerated() {
      let update = tracker.update(
        isThere ? [Script.face(100, 200)] : [], imageSize: PixelSize(width: 640, height: 480),
        minConfidence: 0.6,
        at: Int64(second) * 1_000_000_000, appearance: { _ in nil },
        aligned: { _ in
          asked += 1
          return MadeUpHead(seed: 1).appearance
        })
      ids += update.faces.map { $0.track?.id }
    }
    #expect(ids == [1, 1, 2] && asked == 0)
  }

  @Test func anotherFaceHasAnotherId() throws {
    for seed in 2...40 {
      var scene = try Scene()
      #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
      #expect(try scene.frame([]).left == [1])
      #expect(try scene.ids([Person(seed: seed, x: 100)]) == [2])
    }
  }

  @Test(arguments: [(9.999, 1), (10, 1), (10.001, 2), (-1, 2), (1e9, 2)] as [(Double, UInt64)])
  func aFaceIsKnownAgainForTenSeconds(_ seconds: Double, _ id: UInt64) throws {
    var scene = try Scene()
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
    // The time counts from when it was last seen, not from when it left.
    #expect(try scene.frame([], after: 0.5).left == [1])
    #expect(try scene.ids([Person(seed: 1, x: 100)], after: seconds - 0.5) == [id])
  }

  @Test func timesMayBeAnyNumbers() throws {
    var scene = try Scene()
    for time in [Int64.min, .max, 0, .max, .min] {
      scene.time = time
      #expect(try scene.ids([Person(seed: 1, x: 100)], after: 0) != [0])
      #expect(try scene.frame([], after: 0).left.count == 1)
    }
  }

  @Test func aFailedFrameEndsTheTimeToo() throws {
    var scene = try Scene(maxMissedFrames: 1)
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
    #expect(scene.tracker.skip(at: scene.time + 1) == [])
    #expect(scene.tracker.skip(at: scene.time + 11_000_000_000) == [1])
    scene.time += 1
    #expect(try scene.ids([Person(seed: 1, x: 100)], after: 0) == [2])
  }

  @Test func aMissedFaceThatAppearsElsewhereKeepsItsId() throws {
    var scene = try Scene(maxMissedFrames: 5)
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
    #expect(try scene.frame([]).left.isEmpty)
    let back = try scene.frame([Person(seed: 1, x: 550)])
    #expect(back.tracks == [Track(id: 1, frameCount: 2)])
    // What was followed at the first place is gone, and has not left.
    for _ in 0..<10 {
      let next = try scene.frame([Person(seed: 1, x: 550)])
      #expect(next.tracks.map { $0?.id } == [1] && next.left.isEmpty)
    }
    #expect(try scene.ids([Person(seed: 1, x: 550), Person(seed: 2, x: 100)]) == [1, 2])
  }

  @Test func whoIsInViewIsNotTheOneWhoLeft() throws {
    var scene = try Scene(maxMissedFrames: 5)
    // Twins: the one who stays makes the other one doubtful.
    let one = Person(seed: 1, x: 100)
    #expect(try scene.ids([one, Person(seed: 1, x: 500)]) == [1, 2])
    for _ in 0..<7 { #expect(try scene.ids([one]) == [1]) }
    #expect(try scene.ids([one, Person(seed: 1, x: 300)]) == [1, 3])
  }

  @Test func twoWhoLeftAndLookAlikeAreDoubtful() throws {
    var scene = try Scene()
    #expect(try scene.ids([Person(seed: 1, x: 100), Person(seed: 1, x: 500)]) == [1, 2])
    #expect(try scene.frame([]).left == [1, 2])
    #expect(try scene.ids([Person(seed: 1, x: 300)]) == [3])
  }

  @Test func bothWhoLeftHaveTheirOwnIdsAgain() throws {
    var scene = try Scene()
    #expect(try scene.ids([Person(seed: 1, x: 100), Person(seed: 2, x: 500, confidence: 0.8)]) == [1, 2])
    #expect(try scene.frame([]).left == [1, 2])
    // They have changed their places.
    #expect(try scene.ids([Person(seed: 2, x: 100), Person(seed: 1, x: 500, confidence: 0.8)]) == [2, 1])
  }

  @Test func aFaceManyTimesAsLargeIsAnotherOne() throws {
    for (side, id) in [(179, 1), (181, 2), (20.1, 1), (19.9, 2)] as [(Float, UInt64)] {
      var scene = try Scene()
      #expect(try scene.ids([Person(seed: 1, x: 300)]) == [1])
      #expect(try scene.frame([]).left == [1])
      #expect(try scene.ids([Person(seed: 1, x: 300, side: side)]) == [id], "\(side)")
    }
  }

  @Test func aFaceWaitsForItsHitsAsBefore() throws {
    var scene = try Scene(minHits: 3)
    var told: [UInt64] = []
    for _ in 0..<3 { told += try scene.ids([Person(seed: 1, x: 100)]) }
    #expect(try scene.frame([]).left == [1])
    for _ in 0..<3 { told += try scene.ids([Person(seed: 1, x: 400)]) }
    #expect(told == [0, 0, 1, 0, 0, 1])
  }

  @Test func aFaceConfirmedBySomethingElseIsKnownAgain() throws {
    var scene = try Scene(minHits: 3)
    func confirm() -> UInt64? {
      let number = scene.tracker.numbers.max() ?? 0
      return scene.tracker.confirm(number, at: scene.time) { MadeUpHead(seed: 1).appearance }?.id
    }
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [0])
    #expect(confirm() == 1 && scene.tracker.absentIDs([1, 2]) == [2])
    #expect(try scene.frame([]).left == [1])
    #expect(scene.tracker.absentIDs([1, 2]) == [1, 2])
    #expect(try scene.ids([Person(seed: 1, x: 400)]) == [0])
    #expect(confirm() == 1 && scene.tracker.absentIDs([1]) == [])
  }

  @Test func facesOfACallerAreNotKnownAgain() throws {
    var scene = try Scene()
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [1])
    let face = FollowedFace(id: FollowedFace.firstID, box: Script.face(100, 200).box)
    #expect(
      scene.tracker.follow(face, imageSize: scene.size, appearance: nil).track.id == FollowedFace.firstID)
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [FollowedFace.firstID])
    #expect(try scene.frame([]).left == [FollowedFace.firstID])
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [2])
  }

  @Test func onlyTheLastFacesThatLeftAreKept() throws {
    var scene = try Scene()
    for seed in 1...66 {
      #expect(try scene.ids([Person(seed: seed, x: 100)], after: 0.05) == [UInt64(seed)])
      #expect(try scene.frame([], after: 0.05).left == [UInt64(seed)])
    }
    #expect(try scene.ids([Person(seed: 3, x: 100)]) == [3])
    #expect(try scene.frame([], after: 0.05).left == [3])
    #expect(try scene.ids([Person(seed: 1, x: 100)]) == [67])
  }
}
