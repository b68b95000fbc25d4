import func Glibc.cosf

/// Counts people from the tracked faces of a stream: who came and left, how long they stayed and how long they looked.
///
/// Knows boxes, ids, head poses and gazes, and keeps no picture. Has no clock: time is that of the frames.
public struct Visits: Sendable {
  private struct Visit {
    /// From 1; 0 before the person counts.
    var number: UInt64 = 0
    var faceID: UInt64
    var box: Box
    let firstSeen: UInt64
    var lastSeen: UInt64
    /// The time in view, without absences.
    var seen = TimeSpan.zero
    var looked = TimeSpan.zero
    /// Whether the person looked when last seen.
    var isLooking: Bool

    func event(_ kind: VisitEvent.Kind, present: Int) -> VisitEvent {
      VisitEvent(
        kind: kind, visit: number, faceID: faceID, firstSeen: firstSeen, lastSeen: lastSeen, looked: looked,
        present: present)
    }
  }

  /// The largest distance between the centres of two boxes that are at the same place, in mean sides of the larger one.
  private static let samePlace: Float = 1
  /// The largest ratio of their sizes.
  private static let sameSize: Float = 1.5

  private let minStay: TimeSpan
  private let maxAbsence: TimeSpan
  private let minCosine: Float
  /// In the order of their first sight, those included that do not count yet.
  private var visits: [Visit] = []
  /// The time of the last frame that was searched.
  private var lastTime: UInt64 = 0
  private var lastNumber: UInt64 = 0
  /// The number of people in view.
  public private(set) var present = 0

  /// - Parameter options: valid ones.
  public init(_ options: VisitOptions = VisitOptions()) {
    minStay = options.minStay
    maxAbsence = options.maxAbsence
    minCosine = cosf(radians(options.maxLookAngle))
  }

  /// Adds the next frame of the stream. If its time is before that of the last frame, all visits end first.
  ///
  /// Faces without an id do not count. Nor do predicted ones: a frame that has some was not searched.
  /// - Parameters:
  ///   - faces: an empty list for a frame that failed.
  ///   - time: the frame's, in nanoseconds.
  public mutating func update(_ faces: [Face], at time: UInt64) -> [VisitEvent] {
    var events = time < lastTime ? end() : []
    guard !faces.contains(where: \.isPredicted) else { return events }
    events += removeAbsent(at: time)
    let tracked = faces.filter { $0.track != nil }
    let present = Set(tracked.compactMap { $0.track?.id })
    for face in tracked {
      guard let id = face.track?.id else { continue }
      guard let index = index(of: id, face.box, besides: present) else {
        visits.append(
          Visit(faceID: id, box: face.box, firstSeen: time, lastSeen: time, isLooking: isLooking(face)))
        continue
      }
      see(face, id, at: time, &visits[index])
    }
    lastTime = time
    return events + countNew()
  }

  /// Ends all visits, as at the end of the stream.
  public mutating func end() -> [VisitEvent] {
    defer { (visits, lastTime) = ([], 0) }
    return visits.compactMap { leave($0) }
  }

  /// Ends the visits of people who were not seen for too long.
  private mutating func removeAbsent(at time: UInt64) -> [VisitEvent] {
    let absent = visits.filter { TimeSpan(clamping: time - $0.lastSeen) > maxAbsence }
    guard !absent.isEmpty else { return [] }
    visits.removeAll { TimeSpan(clamping: time - $0.lastSeen) > maxAbsence }
    return absent.compactMap { leave($0) }
  }

  /// Returns the event of a visit that ended; `nil` for one that did not count.
  private mutating func leave(_ visit: Visit) -> VisitEvent? {
    guard visit.number > 0 else { return nil }
    present -= 1
    return visit.event(.left, present: present)
  }

  /// Returns the events of visits that count from now on.
  private mutating func countNew() -> [VisitEvent] {
    var events: [VisitEvent] = []
    for index in visits.indices where visits[index].number == 0 && visits[index].seen >= minStay {
      lastNumber += 1
      present += 1
      visits[index].number = lastNumber
      events.append(visits[index].event(.came, present: present))
    }
    return events
  }

  /// Returns the visit of an id; for a new id the nearest visit at the same place whose face is out of sight.
  private func index(of id: UInt64, _ box: Box, besides present: Set<UInt64>) -> Int? {
    if let index = visits.firstIndex(where: { $0.faceID == id }) { return index }
    var nearest: (index: Int, distance: Float)?
    for (index, visit) in visits.enumerated() where !present.contains(visit.faceID) {
      let (side, other) = (box.meanSide, visit.box.meanSide)
      let (x, y) = (box.center.x - visit.box.center.x, box.center.y - visit.box.center.y)
      let distance = (x * x + y * y).squareRoot() / max(side, other)
      guard max(side, other) <= Self.sameSize * min(side, other), distance <= Self.samePlace,
        distance < nearest?.distance ?? .infinity
      else { continue }
      nearest = (index, distance)
    }
    return nearest?.index
  }

  private func see(_ face: Face, _ id: UInt64, at time: UInt64, _ visit: inout Visit) {
    let isLooking = isLooking(face)
    // An absence is no time in view, and nobody knows where the person looked meanwhile.
    if visit.lastSeen == lastTime {
      let time = TimeSpan(clamping: time - lastTime)
      visit.seen = visit.seen.saturatingAdd(time)
      if visit.isLooking, isLooking { visit.looked = visit.looked.saturatingAdd(time) }
    }
    (visit.faceID, visit.box, visit.lastSeen, visit.isLooking) = (id, face.box, time, isLooking)
  }

  /// Whether the head points at the camera, and the eyes look there if that was measured.
  private func isLooking(_ face: Face) -> Bool {
    guard let pose = face.pose, cosf(radians(pose.yaw)) * cosf(radians(pose.pitch)) >= minCosine else {
      return false
    }
    return face.gaze.map { $0.cosineToCamera >= minCosine } ?? true
  }
}

private func radians(_ degrees: Float) -> Float { degrees * .pi / 180 }
