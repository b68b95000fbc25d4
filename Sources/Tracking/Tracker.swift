public import FaceCore

/// Gives the faces of one frame after the other their identities. A value: no clock, no thread, no picture.
///
/// Each known face is expected where its movement takes it. Faces as confident as was asked for are paired with known
/// ones by the least total difference in place, size and the position of the points; then the less confident ones with
/// those still missing; what is left of the confident ones is new. So an identity holds through crossings, short
/// occlusions, faces that fade, and a change of the frames' resolution or of their orientation that keeps upright
/// upright. It ends, and the face there is somebody else, where place, size and points jump together. Two people whose
/// faces look alike to five points and who change places while none is seen cannot be told apart.
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
    guard (0...Tracker.longestMemory).contains(options.maxMissedFrames) else {
      throw Status(
        .invalidArgument,
        "maximum of missed frames is \(options.maxMissedFrames); give 0…\(Tracker.longestMemory)")
    }
    maxMissedFrames = options.maxMissedFrames
  }

  /// Frames; more would keep every face that ever was.
  public static let longestMemory = 10_000

  /// The faces of the next frame.
  /// - Parameters:
  ///   - faces: without overlaps, in pixels of a frame of `imageSize`; faint ones too, which make no identity but keep one.
  ///   - minConfidence: from which on a face may be somebody new.
  public mutating func update(_ faces: [Face], imageSize: PixelSize, minConfidence: Float) -> Update {
    let isSameSize = imageSize == frameSize ?? imageSize
    frameSize = imageSize
    for index in known.indices {
      // In another form of picture the same scene is not exactly where it was, and its movement is not the same.
      if !isSameSize { known[index].stop() }
      known[index].advance()
    }
    let coordinates = FrameCoordinates(imageSize)
    let places = faces.map { coordinates.place($0.box) }
    let isConfident = faces.map { $0.confidence >= minConfidence }
    var owners = [Int?](repeating: nil, count: faces.count)
    for round in [true, false] {
      let candidates = faces.indices.filter { isConfident[$0] == round }
      // What is faint does not bring back a face that was lost.
      let waiting = known.indices.filter { !owners.contains($0) && (round || known[$0].missedFrames == 0) }
      pair(waiting, candidates, faces, places, isSameSize: isSameSize, into: &owners)
    }
    return settle(faces, places, isConfident, owners)
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

  private func pair(
    _ waiting: [Int], _ candidates: [Int], _ faces: [Face], _ places: [Place], isSameSize: Bool,
    into owners: inout [Int?]
  ) {
    guard !waiting.isEmpty, !candidates.isEmpty else { return }
    let costs = waiting.map { index in
      let limit = maxDifference(known[index], isSameSize: isSameSize)
      return candidates.indices.compactMap { column -> Assignment.Pair? in
        let face = candidates[column]
        guard let cost = known[index].difference(faces[face], at: places[face]), cost <= limit else {
          return nil
        }
        return Assignment.Pair(column: column, cost: cost)
      }
    }
    let columns = Assignment.solve(costs: costs, columns: candidates.count, unpaired: Tracker.unpaired)
    for (row, column) in columns.enumerated() {
      if let column { owners[candidates[column]] = waiting[row] }
    }
  }

  private mutating func settle(
    _ faces: [Face], _ places: [Place], _ isConfident: [Bool], _ owners: [Int?]
  ) -> Update {
    for index in known.indices where !owners.contains(index) { known[index].miss() }
    var tracked: [Face] = []
    // New ones are numbered by confidence, so that the same frames always give the same ids.
    for index in faces.indices.sorted(by: { faces[$0].confidence > faces[$1].confidence }) {
      var face = faces[index]
      let owner: KnownFace
      if let place = owners[index] {
        known[place].find(face, at: places[index])
        owner = known[place]
      } else if isConfident[index] {
        lastID += 1
        owner = KnownFace(id: lastID, face, at: places[index])
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
