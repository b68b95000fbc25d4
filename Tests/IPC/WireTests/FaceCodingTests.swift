import CProtocol
import FaceCore
import Testing
import Wire

/// Every part of a face round-trips, and values that no engine sends are refused.
@Suite struct FaceCodingTests {
  private func responsePayload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = Array(frame.dropFirst(10))
    return Array(body[try ResponseEnvelope(decoding: body.span).payload])
  }

  private func face(_ seed: Int) -> Face {
    let value = Float(seed) + 0.125
    var face = Face(box: Box(x: value, y: -value, width: 10, height: 20), confidence: 0.5, points: nil)
    face.track = Track(id: .max - UInt64(seed), frameCount: .max)
    face.pose = Pose(yaw: value, pitch: -value, roll: 0)
    face.eyes = Eyes(leftOpen: 0, rightOpen: 1)
    face.mouth = Mouth(smile: 0.25, open: 0.75)
    face.quality = CaptureQuality(overall: 1, sharpness: 2, exposure: 3, size: 4, pose: 5, framing: 6)
    face.landmarks = Landmarks(
      points: (0..<478).map { Point3D(x: value + Float($0), y: -Float($0), z: value / 3) }, confidence: 0.9)
    face.expressions = Expressions(values: (0..<52).map { Float($0) / 52 })
    face.transform = HeadTransform(
      x: SIMD4(1, 2, 3, value), y: SIMD4(5, 6, 7, -value), z: SIMD4(9, 10, 11, -12))
    face.isoQuality = ISOQuality(values: (0..<ISOQuality.count).map { Float($0) - value })
    face.precision = PointPrecisions(values: (0..<PointPrecisions.count).map { Float($0) * value })
    face.gaze = Gaze(values: (0..<Gaze.count).map { Float($0) + value })
    return face
  }

  private func result(_ faces: [Face]) -> DetectionResult {
    DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: faces)
  }

  @Test(arguments: [1, 100, 450])
  func facesRoundTrip(count: Int) throws {
    let result = result((0..<count).map(face))
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result))
    #expect(try DetectCall.response(payload.span) == result)
  }

  /// Each part alone, with zeros as numbers: that takes the fewest bytes on the wire and the most memory for
  /// each.
  @Test func eachPartIsOptional() throws {
    let bare = Face(box: Box(x: 0, y: 0, width: 0, height: 0), confidence: 0, points: nil)
    var faces = Array(repeating: bare, count: 12)
    let origin = Point(x: 0, y: 0)
    faces[1].points = FivePoints(
      leftEye: origin, rightEye: origin, noseTip: origin, mouthLeft: origin, mouthRight: origin)
    faces[2].track = Track(id: 0, frameCount: 0)
    faces[3].pose = Pose(yaw: 0, pitch: 0, roll: 0)
    faces[4].eyes = Eyes(leftOpen: 0, rightOpen: 0)
    faces[5].mouth = Mouth(smile: 0, open: 0)
    faces[6].quality = CaptureQuality(overall: 0, sharpness: 0, exposure: 0, size: 0, pose: 0, framing: 0)
    faces[7].expressions = Expressions(values: Array(repeating: 0, count: 52))
    faces[8].transform = HeadTransform(x: .zero, y: .zero, z: .zero)
    faces[9].isoQuality = ISOQuality(values: Array(repeating: 0, count: ISOQuality.count))
    faces[10].precision = PointPrecisions(values: Array(repeating: 0, count: PointPrecisions.count))
    faces[11].gaze = Gaze(values: Array(repeating: 0, count: Gaze.count))
    let result = result(faces)
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result))
    #expect(try DetectCall.response(payload.span) == result)
  }

  /// Many real faces without landmarks, which take the most memory for their bytes.
  @Test func manyMeasuredFacesAreDecoded() throws {
    let point = Point(x: 100, y: 100)
    let points = FivePoints(
      leftEye: point, rightEye: point, noseTip: point, mouthLeft: point, mouthRight: point)
    var face = Face(box: Box(x: 1, y: 1, width: 10, height: 10), confidence: 0.5, points: points)
    face.track = Track(id: 1, frameCount: 1)
    face.pose = Pose(yaw: 0, pitch: 0, roll: 0)
    face.eyes = Eyes(leftOpen: 0, rightOpen: 0)
    face.mouth = Mouth(smile: 0, open: 0)
    face.quality = CaptureQuality(overall: 0, sharpness: 0, exposure: 0, size: 0, pose: 0, framing: 0)
    let result = result(Array(repeating: face, count: 5000))
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result))
    #expect(try DetectCall.response(payload.span) == result)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func numbersMustBeFinite(value: Float) throws {
    let changes: [(inout Face) -> Void] = [
      { $0.confidence = value }, { $0.box.height = value }, { $0.pose?.roll = value },
      { $0.eyes?.leftOpen = value }, { $0.mouth?.open = value }, { $0.quality?.framing = value },
      { $0.landmarks?.points[477].x = value }, { $0.landmarks?.points[0].y = value },
      { $0.landmarks?.points[1].z = value }, { $0.landmarks?.confidence = value },
      { $0.expressions?.values[51] = value }, { $0.transform?.z.w = value },
      { $0.isoQuality?.setUnchecked(value) }, { $0.precision?.values[477] = value },
      { $0.gaze?.right.direction.z = value },
    ]
    for (index, change) in changes.enumerated() {
      var face = face(1)
      change(&face)
      let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result([face])))
      let status = #expect(throws: Status.self, "\(index)") { try DetectCall.response(payload.span) }
      #expect(status?.code == .invalidArgument)
      #expect(status?.message.contains("finite") == true)
    }
  }

  @Test(arguments: [0, 1, 477, 479])
  func listsHaveTheirLength(count: Int) throws {
    var face = face(1)
    face.landmarks?.points = Array(repeating: Point3D(x: 1, y: 2, z: 3), count: count)
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result([face])))
    let status = #expect(throws: Status.self) { try DetectCall.response(payload.span) }
    #expect(status?.message.contains("landmarks.x") == true)
    face = self.face(1)
    face.expressions?.values = Array(repeating: 1, count: count + 1)
    let other = try responsePayload(try DetectCall.responseFrame(stream: 1, result([face])))
    let refused = #expect(throws: Status.self) { try DetectCall.response(other.span) }
    #expect(refused?.message.contains("expressions") == true)
  }

  /// Each output has its flag in the request, and each measurement its field in the face.
  @Test func eachOutputIsRequestedAlone() throws {
    #expect(FaceOutputs.all.rawValue == 1 << UInt32(FaceOutputs.table.count) - 1)
    for row in FaceOutputs.table {
      var options = DetectionOptions()
      options.outputs = row.output
      let start = WatchStart(options: options, mode: .newest)
      let body = Array(try WatchCall.startFrame(stream: 1, start).dropFirst(10))
      #expect(try WatchCall.request(body.span) == .start(start), "\(row.name)")
      guard row.count > 0 else { continue }
      var face = Face(box: Box(x: 0, y: 0, width: 1, height: 1), confidence: 0, points: nil)
      #expect(row.values(face) == nil)
      let values = (0..<row.count).map { Float($0) + 0.5 }
      row.set(&face, values)
      #expect(row.values(face) == values, "\(row.name)")
      let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result([face])))
      #expect(try DetectCall.response(payload.span) == result([face]), "\(row.name)")
    }
  }

  // MARK: The limit of a message

  @Test func landmarksBeyondOneMessageAreRefusedWithAdvice() throws {
    let many = result((0..<800).map(face))
    for body in [
      { () throws in _ = try DetectCall.responseFrame(stream: 1, many) },
      { () throws in
        _ = try WatchCall.responseFrame(
          stream: 1, FrameEvent(frame: FrameInfo(number: 1), outcome: .faces(many)))
      },
    ] as [() throws -> Void] {
      let status = #expect(throws: Status.self) { try body() }
      #expect(status?.code == .resourceExhausted)
      #expect(status?.message.contains("set a lower max_faces") == true)
      #expect(status?.message.contains("landmarks") == true)
    }
  }

  /// An image's result that does not fit fails alone; a smaller one after it still fits.
  @Test func batchKeepsWhatFits() throws {
    let large = result((0..<200).map(face))
    let small = result([face(1)])
    let wrong = Status(.invalidArgument, "no image")
    let outcomes: [ImageOutcome] = [
      .success(large), .success(large), .failure(wrong), .success(large), .success(small),
    ]
    let frame = try DetectBatchCall.responseFrame(stream: 1, outcomes)
    #expect(frame.count <= FrameHeader.size + FrameHeader.maxLength)
    let payload = try responsePayload(frame)
    let received = try DetectBatchCall.response(payload.span)
    #expect(received.count == 5)
    #expect(received[0] == outcomes[0] && received[1] == outcomes[1] && received[2] == outcomes[2])
    #expect(received[4] == outcomes[4])
    guard case .failure(let status) = received[3] else {
      Issue.record("the third large one cannot fit")
      return
    }
    #expect(status.code == .resourceExhausted)
    #expect(status.message.contains("set a lower max_faces"))
  }

  // MARK: Streams

  @Test func leftFacesRoundTrip() throws {
    for outcome in [
      .faces(result([face(1)])), .dropped(total: 1), .failed(Status(.internal, "x")),
    ] as [FrameEvent.Outcome] {
      let answer = FrameEvent(frame: FrameInfo(number: 1), outcome: outcome, left: [1, .max, 0])
      let body = Array(try WatchCall.responseFrame(stream: 1, answer).dropFirst(10))
      #expect(try WatchCall.response(body.span) == answer)
    }
  }

  @Test func trackingOptionsRoundTrip() throws {
    var tracking = TrackingOptions()
    for (missed, interval) in [(15, 10), (0, 1), (10_000, Int(UInt32.max))] {
      (tracking.maxMissedFrames, tracking.detectionInterval) = (missed, interval)
      let start = WatchStart(options: DetectionOptions(), mode: .newest, tracking: tracking)
      let body = Array(try WatchCall.startFrame(stream: 1, start).dropFirst(10))
      #expect(try WatchCall.request(body.span) == .start(start))
    }
    // Absent members have their defaults; an interval of 0 is none.
    let absent: [UInt8] = [0x0a, 2, 0x1a, 0]
    let expected = WatchStart(options: DetectionOptions(), mode: .newest, tracking: TrackingOptions())
    #expect(try WatchCall.request(absent.span) == .start(expected))
    let wrong: [UInt8] = [0x0a, 4, 0x1a, 2, 0x10, 0]
    let status = #expect(throws: Status.self) { _ = try WatchCall.request(wrong.span) }
    #expect(status?.code == .invalidArgument)
    #expect(status?.message.contains("detection interval") == true)
  }
}

extension ISOQuality {
  fileprivate mutating func setUnchecked(_ value: Float) {
    self = ISOQuality(values: values.dropLast() + [value])
  }
}
