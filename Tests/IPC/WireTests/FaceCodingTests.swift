import FaceCore
import TestSupport
import Testing
import Wire

/// Every part of a face round-trips, and values that no engine sends are refused.
@Suite struct FaceCodingTests {
  /// Sets one part of a face to numbers that derive from another one.
  private static let parts: [@Sendable (inout Face, Float) -> Void] = [
    {
      let point = Point(x: $1 / 3, y: -$1)
      $0.points = FivePoints(
        leftEye: point, rightEye: Point(x: $1, y: 2 * $1), noseTip: Point(x: 0, y: 0), mouthLeft: point,
        mouthRight: point)
    },
    { $0.track = Track(id: UInt64($1) << 40, frameCount: UInt32($1)) },
    { $0.pose = Pose(yaw: $1, pitch: -$1, roll: 0) },
    { $0.eyes = Eyes(leftOpen: 0, rightOpen: $1) },
    { $0.mouth = Mouth(smile: $1 / 4, open: $1) },
    {
      $0.quality = CaptureQuality(
        overall: $1, sharpness: 2 * $1, exposure: 3 * $1, size: 4 * $1, pose: 5 * $1, framing: 6 * $1)
    },
    { face, value in face.expressions = Expressions(values: (0..<52).map { Float($0) * value / 52 }) },
    {
      $0.transform = HeadTransform(
        x: $1 * SIMD4(1, 2, 3, 4), y: $1 * SIMD4(5, 6, 7, -8), z: $1 * SIMD4(9, 10, 11, -12))
    },
    { face, value in face.isoQuality = ISOQuality(values: numbers(ISOQuality.count, value)) },
    { face, value in face.precision = PointPrecisions(values: numbers(PointPrecisions.count, value)) },
    { face, value in face.gaze = Gaze(values: numbers(Gaze.count, value)) },
    { face, value in
      let points = (0..<478).map { Point3D(x: value + Float($0), y: -Float($0), z: value / 3) }
      face.landmarks = Landmarks(points: points, confidence: 0.9)
    },
  ]

  private static func numbers(_ count: Int, _ value: Float) -> [Float] {
    (0..<count).map { Float($0) * value }
  }

  private func face(_ value: Float, _ parts: [@Sendable (inout Face, Float) -> Void] = Self.parts) -> Face {
    var face = Face(box: Box(x: value, y: -value, width: 1e-20, height: 1e20), confidence: 0.5, points: nil)
    for part in parts { part(&face, value) }
    return face
  }

  private func result(_ faces: [Face]) -> DetectionResult {
    adjusted(DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: faces)) {
      $0.unanalysedFaces = faces.count + 1
    }
  }

  private func faces(_ count: Int) -> [Face] { (0..<count).map { face(Float($0) + 0.125) } }

  @Test(arguments: [0, 1, 100, 450])
  func facesRoundTrip(count: Int) throws {
    #expect(try Sent.result(result(faces(count))) == result(faces(count)))
  }

  /// Each part alone, with zeros as numbers: that takes the fewest bytes on the wire. Many real faces without
  /// landmarks take the most memory for their bytes.
  @Test func eachPartIsOptional() throws {
    let alone = result(Self.parts.map { face(0, [$0]) } + [face(0, [])])
    #expect(try Sent.result(alone) == alone)
    let many = result(Array(repeating: face(1, Array(Self.parts.prefix(6))), count: 5000))
    #expect(try Sent.result(many) == many)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func numbersMustBeFinite(value: Float) throws {
    let changes: [(inout Face) -> Void] = [
      { $0.confidence = value }, { $0.box.height = value }, { $0.points?.noseTip.y = value },
      { $0.pose?.roll = value },
      { $0.eyes?.leftOpen = value }, { $0.mouth?.open = value }, { $0.quality?.framing = value },
      { $0.landmarks?.points[477].x = value }, { $0.landmarks?.points[0].y = value },
      { $0.landmarks?.points[1].z = value }, { $0.landmarks?.confidence = value },
      { $0.expressions?.values[51] = value }, { $0.transform?.z.w = value },
      { $0.isoQuality = ISOQuality(values: Array(repeating: value, count: ISOQuality.count)) },
      { $0.precision?.values[477] = value }, { $0.gaze?.right.direction.z = value },
    ]
    for (index, change) in changes.enumerated() {
      let wrong = result([adjusted(face(1), change)])
      expectFailure(.invalidArgument, "finite", comment: "\(index)") { try Sent.result(wrong) }
    }
  }

  @Test(arguments: [0, 1, 477, 479])
  func listsHaveTheirLength(count: Int) {
    let points = Array(repeating: Point3D(x: 1, y: 2, z: 3), count: count)
    let landmarks = adjusted(face(1)) { $0.landmarks?.points = points }
    expectFailure("landmarks.x") { try Sent.result(result([landmarks])) }
    let expressions = adjusted(face(1)) { $0.expressions?.values = Array(repeating: 1, count: count + 1) }
    expectFailure("expressions") { try Sent.result(result([expressions])) }
  }

  /// Each output has its flag in the request, and each measurement its field in the face.
  @Test func eachOutputIsRequestedAlone() throws {
    #expect(FaceOutputs.all.rawValue == 1 << UInt32(FaceOutputs.table.count) - 1)
    for row in FaceOutputs.table {
      let options = adjusted(DetectionOptions()) { $0.outputs = row.output }
      let start = WatchStart(options: options, mode: .newest)
      #expect(try Sent.start(start) == start, "\(row.name)")
      guard row.count > 0 else { continue }
      var face = face(0, [])
      #expect(row.values(face) == nil)
      let values = (0..<row.count).map { Float($0) + 0.5 }
      row.set(&face, values)
      #expect(row.values(face) == values, "\(row.name)")
      #expect(try Sent.result(result([face])) == result([face]), "\(row.name)")
    }
  }

  // MARK: The limit of a message

  @Test func landmarksBeyondOneMessageAreRefusedWithAdvice() {
    let many = result(faces(800))
    let event = FrameEvent(frame: FrameInfo(number: 1), outcome: .faces(many))
    expectFailure(.resourceExhausted, "set a lower max_faces", "landmarks") { try Sent.result(many) }
    expectFailure(.resourceExhausted, "set a lower max_faces", "landmarks") { try Sent.event(event) }
  }

  /// An image's result that does not fit fails alone; a smaller one after it still fits.
  @Test func batchKeepsWhatFits() throws {
    let large = ImageOutcome.success(result(faces(200)))
    let wrong = ImageOutcome.failure(Status(.invalidArgument, "no image"))
    let outcomes = [large, large, wrong, large, .success(result(faces(1)))]
    let frame = try DetectBatchCall.responseFrame(stream: 1, outcomes)
    #expect(frame.count <= FrameHeader.size + FrameHeader.maxLength)
    let payload = try Sent.response(frame)
    let received = try DetectBatchCall.response(payload.span)
    #expect(received.count == 5)
    for place in [0, 1, 2, 4] { #expect(received[place] == outcomes[place]) }
    expectFailure(.resourceExhausted, "set a lower max_faces") { try received[3].get() }
  }

  // MARK: Streams

  @Test func leftFacesRoundTrip() throws {
    for outcome in [
      .faces(result(faces(1))), .dropped(total: .max), .failed(Status(.internal, "x")),
    ] as [FrameEvent.Outcome] {
      let event = FrameEvent(frame: FrameInfo(number: .max), outcome: outcome, left: [1, .max, 0])
      #expect(try Sent.event(event) == event)
    }
    let nothing: [UInt8] = []
    #expect(throws: Status.self) { try WatchCall.response(nothing.span) }
  }

  /// Absent members have their defaults; an interval of 0 is none.
  @Test func absentTrackingOptionsHaveTheirDefaults() throws {
    let absent: [UInt8] = [0x0a, 2, 0x1a, 0]
    let expected = WatchStart(options: DetectionOptions(), mode: .newest, tracking: TrackingOptions())
    #expect(try WatchCall.request(absent.span) == .start(expected))
    let wrong: [UInt8] = [0x0a, 4, 0x1a, 2, 0x10, 0]
    expectFailure(.invalidArgument, "detection_interval") { try WatchCall.request(wrong.span) }
  }
}
