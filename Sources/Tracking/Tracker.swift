public import FaceCore

/// Gives the faces of one frame after the other their identities. A value: no clock, no thread.
///
/// Each known face is expected where its movement takes it. Faces as confident as was asked for are paired with known
/// ones by the least total difference in place, size and looks; then the less confident ones with those still missing;
/// what is left of the confident ones is new. So an identity holds through crossings, short occlusions, faces that fade,
/// and a change of the frames' resolution or of their orientation that keeps upright upright. It ends, and the face there
/// is somebody else, where a face looks too different, or place, size and looks jump together.
///
/// Sources: Bewley et al., "Simple Online and Realtime Tracking", 2016 (prediction and assignment); Zhang et al.,
/// "ByteTrack: Multi-Object Tracking by Associating Every Detection Box", 2022 (the second round for faint ones).
public struct Tracker: Sendable {
  /// What one frame brought.
  public struct Update: Equatable, Sendable {
    /// Those that have an identity, each with its `track`, the most confident first.
    public var faces: [Face]
    /// Ids of those that are in view no more, in ascending order.
    public var left: [UInt64]

    public init(faces: [Face], left: [UInt64]) {
      self.faces = faces
      self.left = left
    }
  }

  private let maxMissedFrames: Int
  private var known: [KnownFace] = []
  private var lastID: UInt64 = 0
  private var frameSize: PixelSize?

  /// Throws `invalidArgument`, naming the option, for values outside their range.
  public init(_ options: TrackingOptions) throws(Status) {
    try options.validate()
    maxMissedFrames = options.maxMissedFrames
  }

  /// The faces of the next frame.
  /// - Parameters:
  ///   - faces: without overlaps, in pixels of a frame of `imageSize`; faint ones too, which make no identity but keep one.
  ///   - minConfidence: from which on a face may be somebody new.
  ///   - look: how what is in a box of that frame looks; `nil` where that is not known, and faces are told apart by place
  ///     and size alone. What it throws ends the update, and the tracker is as if the frame had not been.
  public mutating func update<Failure>(
    _ faces: [Face], imageSize: PixelSize, minConfidence: Float,
    look: (Box) throws(Failure) -> FaceAppearance?
  ) throws(Failure) -> Update {
    let coordinates = FrameCoordinates(imageSize)
    var sightings: [Sighting] = []
    sightings.reserveCapacity(faces.count)
    for face in faces {
      sightings.append(Sighting(place: coordinates.place(face.box), appearance: try look(face.box)))
    }
    let isSameSize = imageSize == frameSize ?? imageSize
    var next = self
    next.frameSize = imageSize
    for index in known.indices {
      // In another form of picture the same scene is not exactly where it was, and its movement is not the same.
      if !isSameSize { next.known[index].stop() }
      next.known[index].advance()
    }
    let isConfident = faces.map { $0.confidence >= minConfidence }
    var owners = [Int?](repeating: nil, count: faces.count)
    for round in [true, false] {
      let candidates = faces.indices.filter { isConfident[$0] == round }
      // What is faint does not bring back a face that was lost.
      let waiting = known.indices.filter { !owners.contains($0) && (round || known[$0].missedFrames == 0) }
      try next.pair(waiting, candidates, sightings, isSameSize: isSameSize, into: &owners) {
        (place) throws(Failure) in try look(coordinates.box(place))
      }
    }
    let update = next.settle(faces, sightings, isConfident, owners)
    self = next
    return update
  }

  /// A frame of which nothing is known: every face is missing in it.
  public mutating func skip() -> [UInt64] {
    for index in known.indices {
      known[index].advance()
      known[index].miss()
    }
    return forget()
  }

  /// Where the faces found in the last frame are expected in the next one, in pixels of a frame of `imageSize`.
  public func expectedBoxes(imageSize: PixelSize) -> [(id: UInt64, box: Box)] {
    let coordinates = FrameCoordinates(imageSize)
    return known.filter { $0.missedFrames == 0 }.map { face in
      var motion = face.motion
      motion.advance()
      return (face.id, coordinates.box(motion.place))
    }
  }

  /// How different a face may be and still be `face`: more after frames without it, and where frames changed their form.
  private func maxDifference(_ face: KnownFace, isSameSize: Bool) -> Float {
    min(1.1 + 0.1 * Float(face.missedFrames), 1.8) * (isSameSize ? 1 : 1.5)
  }

  /// Above every difference that is allowed: nobody stays alone who could be paired.
  private static let unpaired: Float = 3

  private func pair<Failure>(
    _ waiting: [Int], _ candidates: [Int], _ sightings: [Sighting], isSameSize: Bool,
    into owners: inout [Int?], _ look: (Place) throws(Failure) -> FaceAppearance?
  ) throws(Failure) {
    guard !waiting.isEmpty, !candidates.isEmpty else { return }
    var costs = [[Assignment.Pair]](repeating: [], count: waiting.count)
    for (row, index) in waiting.enumerated() {
      let limit = maxDifference(known[index], isSameSize: isSameSize)
      for (column, face) in candidates.enumerated() {
        if let cost = try known[index].difference(sightings[face], limit: limit, look) {
          costs[row].append(Assignment.Pair(column: column, cost: cost))
        }
      }
    }
    let columns = Assignment.solve(costs: costs, columns: candidates.count, unpaired: Tracker.unpaired)
    for (row, column) in columns.enumerated() {
      if let column { owners[candidates[column]] = waiting[row] }
    }
  }

  private mutating func settle(
    _ faces: [Face], _ sightings: [Sighting], _ isConfident: [Bool], _ owners: [Int?]
  ) -> Update {
    for index in known.indices where !owners.contains(index) { known[index].miss() }
    var tracked: [Face] = []
    // New ones are numbered by confidence, so that the same frames always give the same ids.
    for index in faces.indices.sorted(by: { faces[$0].confidence > faces[$1].confidence }) {
      var face = faces[index]
      let owner: KnownFace
      if let place = owners[index] {
        known[place].find(sightings[index])
        owner = known[place]
      } else if isConfident[index] {
        lastID += 1
        owner = KnownFace(id: lastID, sightings[index])
        known.append(owner)
      } else {
        continue
      }
      face.track = Track(id: owner.id, frameCount: owner.frameCount)
      tracked.append(face)
    }
    return Update(faces: tracked, left: forget())
  }

  /// Drops those missing for too long.
  private mutating func forget() -> [UInt64] {
    let left = known.filter { $0.missedFrames > maxMissedFrames }.map(\.id)
    known.removeAll { $0.missedFrames > maxMissedFrames }
    return left.sorted()
  }
}
