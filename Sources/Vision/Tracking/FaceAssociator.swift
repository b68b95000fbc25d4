public import FaceCore

/// Associates the faces of successive frames and gives them ids. A value without a clock or a thread.
///
/// A face gets its id with the `minHits`th frame in which it is found, so that a detector's single false
/// detection, such as the back of a head, gets none. If it is missed before, it counts as false.
///
/// Each known face is predicted by its movement. Faces of at least the minimum confidence are matched with
/// known ones by the least total difference in position, size and appearance; then the less confident ones
/// with those still missing; the confident ones left over are new. So an id survives crossings, short
/// occlusions, faces of falling confidence, and a change of the frames' resolution or of their orientation
/// that keeps upright upright. It ends, and the face there gets a new id, if the appearance differs too much,
/// or if position, size and appearance change abruptly together.
///
/// On request, a face that is about to get an id takes that of a face that was last seen within
/// `longestAbsence`, if it is clearly that one by its `AlignedAppearance`.
///
/// Sources: Bewley et al., "Simple Online and Realtime Tracking", 2016 (prediction and assignment); Zhang et
/// al., "ByteTrack: Multi-Object Tracking by Associating Every Detection Box", 2022 (the second round for low
/// scores).
public struct FaceAssociator: Sendable {
  /// The outcome of one frame.
  public struct Update: Equatable, Sendable {
    /// The faces, the most confident first, each with its `track` if it has an id.
    public var faces: [Face]
    /// The number of each face's tracklet, which it also has before it has an id.
    public var numbers: [UInt64]
    /// Ids of the faces that left, in ascending order.
    public var left: [UInt64]

    public init(faces: [Face], numbers: [UInt64], left: [UInt64]) {
      self.faces = faces
      self.numbers = numbers
      self.left = left
    }
  }

  private let maxMissedFrames: Int
  private let minHits: Int
  private let reidentifies: Bool
  /// Faces that left within `longestAbsence`, in the order in which they left.
  private var absent: [AbsentFace] = []
  private var tracklets: [Tracklet] = []
  private var lastID: UInt64 = 0
  private var lastNumber: UInt64 = 0
  private var frameSize: PixelSize?

  /// Throws `invalidArgument`, naming the option, for values outside their range.
  public init(_ options: TrackingOptions) throws(Status) {
    try options.validate()
    maxMissedFrames = options.maxMissedFrames
    minHits = options.minHits
    reidentifies = options.reidentifies
  }

  /// The time within which a face that returns gets its id back. Its data are deleted afterwards.
  public static let longestAbsence: TimeSpan = .seconds(10)
  /// The most faces that left whose data are kept.
  private static let maxAbsent = 64

  /// Returns the faces of the next frame.
  /// - Parameters:
  ///   - faces: without overlaps, in pixels of a frame of `imageSize`; including those of low score, which
  ///     can only continue a tracklet.
  ///   - minConfidence: the least confidence with which a face begins a new tracklet.
  ///   - appearance: returns the appearance of a box of that frame; `nil` if it is not known, and faces are
  ///     told apart by position and size alone. An error that it throws ends the update and leaves the
  ///     tracker unchanged.
  ///   - time: when the frame was taken, in nanoseconds from any moment.
  ///   - aligned: returns the aligned appearance of a face of that frame, as `appearance` does. Called only
  ///     if faces that return are to have their ids again.
  public mutating func update<Failure>(
    _ faces: [Face], imageSize: PixelSize, minConfidence: Float, at time: Int64 = 0,
    appearance: (Box) throws(Failure) -> FaceAppearance?,
    aligned: (Face) throws(Failure) -> AlignedAppearance?
  ) throws(Failure) -> Update {
    let coordinates = FrameCoordinates(imageSize)
    var observations: [Observation] = []
    observations.reserveCapacity(faces.count)
    for face in faces {
      observations.append(
        Observation(box: coordinates.normalised(face.box), appearance: try appearance(face.box)))
    }
    let isSameSize = imageSize == frameSize ?? imageSize
    var next = self
    next.frameSize = imageSize
    next.forgetAbsent(at: time)
    for index in tracklets.indices {
      // With another picture size the same scene is not exactly where it was, and its movement is not the
      // same.
      if !isSameSize { next.tracklets[index].resetVelocity() }
      next.tracklets[index].predict()
    }
    let isConfident = faces.map { $0.confidence >= minConfidence }
    var matches = [Int?](repeating: nil, count: faces.count)
    for round in [true, false] {
      let candidates = faces.indices.filter { isConfident[$0] == round }
      // A face of low score does not revive a track that was missed.
      let unmatched = tracklets.indices.filter {
        !matches.contains($0) && (round || tracklets[$0].missedFrames == 0)
      }
      try next.match(unmatched, candidates, observations, isSameSize: isSameSize, into: &matches) {
        (box) throws(Failure) in try appearance(coordinates.box(box))
      }
    }
    let update = try next.apply(matches, faces, observations, isConfident, at: time, aligned)
    self = next
    return update
  }

  /// Counts a frame that failed: every face is missed in it.
  /// - Returns: the ids of the faces that left.
  public mutating func skip(at time: Int64 = 0) -> [UInt64] {
    forgetAbsent(at: time)
    for index in tracklets.indices {
      tracklets[index].predict()
      tracklets[index].markMissed()
    }
    return removeLost()
  }

  /// The numbers of all tracklets, including those missed in the last frame.
  public var numbers: [UInt64] { tracklets.map(\.number) }

  /// Gives a face of the last frame its id now, because something other than the detector has confirmed it.
  /// - Parameters:
  ///   - number: the number of its tracklet.
  ///   - time: of that frame.
  ///   - aligned: returns its appearance in that frame; called as in `update`.
  /// - Returns: its track; `nil` if there is no such tracklet.
  public mutating func confirm<Failure>(
    _ number: UInt64, at time: Int64 = 0,
    aligned: () throws(Failure) -> AlignedAppearance?
  ) throws(Failure) -> Track? {
    guard let index = tracklets.firstIndex(where: { $0.number == number }) else { return nil }
    if tracklets[index].id == nil {
      let appearance = reidentifies ? try aligned() : nil
      giveID(to: index, appearance, at: time)
      // The tracklet of the face that returned, whose id it has now.
      tracklets.removeAll { $0.id == nil && $0.missedFrames > 0 }
    }
    return tracklets.first { $0.number == number }?.track
  }

  /// Returns those of `ids` that no face has.
  public func absentIDs(_ ids: [UInt64]) -> [UInt64] {
    ids.filter { id in !tracklets.contains { $0.id == id } }
  }

  /// - Parameter appearance: the face's appearance now; `nil` if it is not known, or not asked for.
  private mutating func giveID(to index: Int, _ appearance: AlignedAppearance?, at time: Int64) {
    if let appearance, let known = returned(index, appearance) {
      tracklets[index].takeIdentity(of: known)
    } else {
      lastID += 1
      tracklets[index].confirm(lastID)
    }
    if reidentifies { tracklets[index].gallery.add(appearance, at: time) }
  }

  /// Returns which absent face a new one is, and removes that: one that left, or is missed in this frame.
  private mutating func returned(_ index: Int, _ appearance: AlignedAppearance) -> AbsentFace? {
    let missed = tracklets.filter { $0.missedFrames > 0 }.compactMap { AbsentFace($0) }
    let inView = tracklets.indices.filter { $0 != index && tracklets[$0].missedFrames == 0 }
    let known = AbsentFace.identify(
      appearance, side: tracklets[index].motion.box.side, firstSeen: tracklets[index].firstSeen,
      among: absent + missed, others: inView.map { tracklets[$0].gallery })
    guard let known else { return nil }
    absent.removeAll { $0.id == known.id }
    for other in tracklets.indices where tracklets[other].id == known.id { tracklets[other].removeID() }
    return known
  }

  /// Deletes what is kept of faces that were last seen longer ago than `longestAbsence`, and of those seen
  /// after `time`: times that go backwards tell nothing.
  private mutating func forgetAbsent(at time: Int64) {
    guard reidentifies else { return }
    func isOld(_ lastSeen: Int64) -> Bool {
      !FaceAssociator.isWithin(FaceAssociator.longestAbsence, time, after: lastSeen)
    }
    absent.removeAll { isOld($0.lastSeen) }
    for index in tracklets.indices where isOld(tracklets[index].lastSeen) {
      tracklets[index].gallery.removeAll()
    }
  }

  /// Whether `time` is at most `span` after `earlier`, and not before it. Times may be any
  /// numbers.
  static func isWithin(_ span: TimeSpan, _ time: Int64, after earlier: Int64) -> Bool {
    let (passed, overflow) = time.subtractingReportingOverflow(earlier)
    return !overflow && (0...span.nanoseconds).contains(passed)
  }

  /// Returns where the faces found in the last frame are expected in the next one, in pixels of a frame of
  /// `imageSize`.
  public func expectedBoxes(imageSize: PixelSize) -> [(number: UInt64, box: Box)] {
    expected(imageSize) { $0.missedFrames == 0 }
  }

  /// Returns where the faces that a caller passed are expected, including those missed in the last frame.
  public func expectedFollowedBoxes(imageSize: PixelSize) -> [(number: UInt64, box: Box)] {
    expected(imageSize) { $0.isFollowed }
  }

  private func expected(
    _ imageSize: PixelSize, _ isWanted: (Tracklet) -> Bool
  ) -> [(number: UInt64, box: Box)] {
    let coordinates = FrameCoordinates(imageSize)
    return tracklets.filter(isWanted).map { face in
      var motion = face.motion
      motion.predict()
      return (face.number, coordinates.box(motion.box))
    }
  }

  /// Follows a face that the caller knows, from the frame of the last update on. If a face was found there,
  /// it is that one, under the new id.
  /// - Parameters:
  ///   - imageSize: the size of that frame.
  ///   - appearance: the appearance of the box; `nil` if it is not known.
  /// - Returns: the number of its tracklet, its track, and the id that it had in the frames before.
  public mutating func follow(
    _ face: FollowedFace, imageSize: PixelSize, appearance: FaceAppearance?
  ) -> (number: UInt64, track: Track, left: UInt64?) {
    let coordinates = FrameCoordinates(imageSize)
    func overlap(_ index: Int) -> Float {
      coordinates.box(tracklets[index].motion.box).intersectionOverUnion(face.box)
    }
    let found = tracklets.indices.filter { tracklets[$0].missedFrames == 0 && !tracklets[$0].isFollowed }
    var place = found.max { overlap($0) < overlap($1) }
    if let nearest = place, overlap(nearest) < FaceAssociator.leastOverlap { place = nil }
    let left = place.flatMap { tracklets[$0].isIDTold ? tracklets[$0].id : nil }
    if place == nil {
      lastNumber += 1
      let observation = Observation(box: coordinates.normalised(face.box), appearance: appearance)
      tracklets.append(Tracklet(number: lastNumber, observation, at: 0))
    }
    let index = place ?? tracklets.count - 1
    tracklets[index].follow(face.id)
    return (tracklets[index].number, Track(id: face.id, frameCount: tracklets[index].frameCount), left)
  }

  /// The least overlap of a caller's box with that of the face found there: callers define boxes differently.
  private static let leastOverlap: Float = 0.3

  /// Removes the faces that no caller passed.
  public mutating func keepFollowed() {
    tracklets.removeAll { !$0.isFollowed }
  }

  /// Returns how much a face may differ from `face` and still be the same: more after frames without it, and
  /// after a change of the picture size.
  private func maxDifference(_ face: Tracklet, isSameSize: Bool) -> Float {
    min(1.1 + 0.1 * Float(face.missedFrames), 1.8) * (isSameSize ? 1 : 1.5)
  }

  /// The cost of a face without a match: above every allowed difference, so that whatever can be matched is
  /// matched.
  private static let unmatched: Float = 3

  private func match<Failure>(
    _ unmatched: [Int], _ candidates: [Int], _ observations: [Observation], isSameSize: Bool,
    into matches: inout [Int?], _ appearance: (NormalisedBox) throws(Failure) -> FaceAppearance?
  ) throws(Failure) {
    guard !unmatched.isEmpty, !candidates.isEmpty else { return }
    var costs = [[Assignment.Pair]](repeating: [], count: unmatched.count)
    for (row, index) in unmatched.enumerated() {
      let limit = maxDifference(tracklets[index], isSameSize: isSameSize)
      for (column, face) in candidates.enumerated() {
        if let cost = try tracklets[index].difference(
          from: observations[face], limit: limit, appearance)
        {
          costs[row].append(Assignment.Pair(column: column, cost: cost))
        }
      }
    }
    let columns = Assignment.solve(
      costs: costs, columns: candidates.count, unpaired: FaceAssociator.unmatched)
    for (row, column) in columns.enumerated() {
      if let column { matches[candidates[column]] = unmatched[row] }
    }
  }

  /// Updates the tracklets that were matched, marks the others as missed, and adds new ones.
  private mutating func apply<Failure>(
    _ matches: [Int?], _ faces: [Face], _ observations: [Observation], _ isConfident: [Bool], at time: Int64,
    _ aligned: (Face) throws(Failure) -> AlignedAppearance?
  ) throws(Failure) -> Update {
    assert(Set(matches.compactMap(\.self)).count == matches.count { $0 != nil }, "no tracklet has two faces")
    for index in tracklets.indices where !matches.contains(index) { tracklets[index].markMissed() }
    var update = Update(faces: [], numbers: [], left: [])
    // New ones are numbered by confidence, so that the same frames always give the same ids.
    for index in faces.indices.sorted(by: { faces[$0].confidence > faces[$1].confidence }) {
      var face = faces[index]
      let place: Int
      if let match = matches[index] {
        tracklets[match].update(with: observations[index], isConfident: isConfident[index], at: time)
        place = match
      } else if isConfident[index] {
        lastNumber += 1
        tracklets.append(Tracklet(number: lastNumber, observations[index], at: time))
        place = tracklets.count - 1
      } else {
        continue
      }
      if tracklets[place].id == nil, tracklets[place].hits >= minHits {
        giveID(to: place, reidentifies ? try aligned(face) : nil, at: time)
      } else if reidentifies, isConfident[index], tracklets[place].id != nil,
        tracklets[place].gallery.isDue(at: time)
      {
        tracklets[place].gallery.add(try aligned(face), at: time)
      }
      face.track = tracklets[place].track
      // A face without an id is reported only if it would be without tracking.
      guard face.track != nil || isConfident[index] else { continue }
      update.faces.append(face)
      update.numbers.append(tracklets[place].number)
    }
    update.left = removeLost()
    return update
  }

  /// Removes the faces that have left: those missed in more frames than allowed, which is none for one
  /// without an id. Returns their ids.
  private mutating func removeLost() -> [UInt64] {
    func isLost(_ tracklet: Tracklet) -> Bool {
      tracklet.missedFrames > (tracklet.id == nil ? 0 : maxMissedFrames)
    }
    let lost = tracklets.filter(isLost)
    let left = lost.compactMap(\.id)
    if reidentifies {
      absent += lost.compactMap { AbsentFace($0) }
      absent.removeFirst(max(absent.count - FaceAssociator.maxAbsent, 0))
    }
    tracklets.removeAll(where: isLost)
    return left.sorted()
  }
}
