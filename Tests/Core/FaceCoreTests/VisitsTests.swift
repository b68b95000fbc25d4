import FaceCore
import Testing

@Suite struct VisitsTests {
  /// A face of 100 pixels.
  private func face(_ id: UInt64?, x: Float = 100, side: Float = 100, yaw: Float? = 0, pitch: Float = 0) -> Face {
    var face = Face(
      box: Box(x: x - side / 2, y: 100 - side / 2, width: side, height: side), confidence: 0.9, points: nil)
    face.track = id.map { Track(id: $0, frameCount: 1) }
    face.pose = yaw.map { Pose(yaw: $0, pitch: pitch, roll: 0) }
    return face
  }

  /// The events of the faces in each frame; a tenth of a second lies between two frames.
  private func events(
    _ frames: ClosedRange<Int>, options: VisitOptions = VisitOptions(), _ faces: (Int) -> [Face]
  ) -> [VisitEvent] {
    var visits = Visits(options)
    return frames.flatMap { visits.update(faces($0), at: UInt64($0) * 100_000_000) } + visits.end()
  }

  @Test func aPersonComesAndLeaves() {
    var visits = Visits()
    var events: [VisitEvent] = []
    for tenth in 10...70 {
      events += visits.update(tenth <= 40 ? [face(7)] : [], at: UInt64(tenth) * 100_000_000)
    }
    #expect(events.map(\.kind) == [.came, .left] && events.map(\.present) == [1, 0])
    #expect(events.allSatisfy { $0.visit == 1 && $0.faceID == 7 && $0.firstSeen == 1_000_000_000 })
    #expect(events.map(\.stayed) == [.milliseconds(500), .seconds(3)])
    #expect(events[1].looked == .seconds(3) && events[1].lastSeen == 4_000_000_000)
    #expect(visits.present == 0 && visits.end().isEmpty)
  }

  @Test func aFlickerDoesNotCount() {
    #expect(events(0...100) { $0 % 20 < 5 ? [face(UInt64($0 / 20 + 1))] : [] }.isEmpty)
    // Nor does a face without an id.
    #expect(events(0...100) { _ in [face(nil)] }.isEmpty)
    // The time in view counts, with short gaps between.
    #expect(events(0...10) { $0 % 5 == 4 ? [] : [face(1)] }.count == 2)
  }

  @Test func anAbsenceWithinTheLimitIsPartOfTheVisit() {
    for (missing, visits) in [(14, 1), (15, 2)] {
      let found = events(0...60) { (20..<20 + missing).contains($0) ? [] : [face(1)] }
      #expect(found.count == 2 * visits, "\(missing)")
      if visits == 1 {
        #expect(found[1].stayed == .seconds(6))
        #expect(found[1].looked == .milliseconds(6000 - 100 * Int64(missing + 1)))
      }
    }
  }

  @Test func aNewIDAtTheSamePlaceContinuesTheVisit() {
    for (x, side, visits) in [(100, 100, 1), (190, 100, 1), (210, 100, 2), (100, 60, 2), (100, 70, 1)]
      as [(Float, Float, Int)]
    {
      let found = events(0...40) {
        $0 < 20 ? [face(1)] : $0 < 25 ? [] : [face(2, x: x, side: side)]
      }
      #expect(found.count == 2 * visits, "\(x) \(side)")
      #expect(found.last?.faceID == 2)
    }
  }

  /// A second face beside the first one is a second person, even at the same place.
  @Test func facesInViewTogetherAreDifferentPeople() {
    let found = events(0...40) { $0 < 20 ? [face(1)] : [face(1), face(2, x: 150)] }
    #expect(found.map(\.visit) == [1, 2, 1, 2] && found.map(\.present) == [1, 2, 1, 0])
  }

  @Test func lookingIsAConeAroundTheCamera() {
    for (yaw, pitch, looks) in [
      (0, 0, true), (24, 0, true), (26, 0, false), (-24, 0, true), (0, -24, true), (0, 26, false), (17, 17, true),
      (20, 20, false),
    ] as [(Float, Float, Bool)] {
      let found = events(0...20) { _ in [face(1, yaw: yaw, pitch: pitch)] }
      #expect(found.last?.looked == (looks ? .seconds(2) : .zero), "\(yaw) \(pitch)")
    }
    // Without a pose nobody knows.
    #expect(events(0...20) { _ in [face(1, yaw: nil)] }.last?.looked == .zero)
    // A look ends when the head turns away.
    #expect(events(0...20) { [face(1, yaw: $0 <= 10 ? 0 : 60)] }.last?.looked == .seconds(1))
  }

  @Test func eyesThatLookAwayDoNotLook() {
    for (x, looks) in [(0, true), (20, true), (40, false)] as [(Float, Bool)] {
      // Eyes 60 cm in front of the camera that look x cm beside it.
      let length = (x * x + 3600).squareRoot()
      let eye = Gaze.Eye(center: SIMD3(0, 0, -60), direction: SIMD3(x, 0, 60) / length)
      var one = face(1)
      one.gaze = Gaze(left: eye, right: eye)
      #expect(events(0...20) { _ in [one] }.last?.looked == (looks ? .seconds(2) : .zero), "\(x)")
    }
  }

  @Test func predictedFramesAreNoSights() {
    var predicted = face(1)
    predicted.isPredicted = true
    predicted.pose = nil
    let found = events(0...40) { $0 % 5 == 0 ? [face(1)] : [predicted] }
    #expect(found.map(\.kind) == [.came, .left] && found[1].looked == .seconds(4))
  }

  @Test func aTimeThatGoesBackEndsAllVisits() {
    var visits = Visits()
    for tenth in 50...60 { _ = visits.update([face(1)], at: UInt64(tenth) * 100_000_000) }
    let found = visits.update([face(1)], at: 100_000_000)
    #expect(found.map(\.kind) == [.left] && visits.present == 0)
    #expect(visits.update([face(1)], at: 600_000_000).map(\.visit) == [2])
  }

  @Test func totalsFollowTheEvents() {
    var totals = VisitStatistics()
    totals.count(events(0...60) { tenth in [face(1)] + (tenth < 30 ? [face(2, x: 400, yaw: 60)] : []) })
    #expect(totals.total == 2 && totals.present == 0)
    #expect(totals.stays.sum == .milliseconds(8900) && totals.looks.sum == .seconds(6))
    #expect(totals.stays.counts.reduce(0, +) == 2 && totals.looks.counts[0] == 1)
  }

  @Test func optionsOutsideTheirRangeAreRefused() {
    var options = VisitOptions()
    options.maxLookAngle = 91
    #expect(throws: Status.self) { try options.validate() }
    options = VisitOptions()
    options.minStay = .zero
    options.maxAbsence = .zero
    #expect(throws: Never.self) { try options.validate() }
    // Everybody counts at once, and leaves with the first frame without the face.
    let found = events(0...10, options: options) { $0 % 5 == 0 ? [face(1)] : [] }
    #expect(found.map(\.kind) == [.came, .left, .came, .left, .came, .left])
  }
}
