import Analysis
import FaceCore
import Imaging
import TestSupport
import Testing

/// The real networks on a photo whose face is known.
@Suite(.needsAnalysisModels) struct FaceAnalyzerTests {
  private let analyzer: FaceAnalyzer

  init() throws {
    analyzer = try RealAnalyzer.make()
  }

  private func analyze(
    _ picture: Picture, _ face: Face = Astronaut.face, _ outputs: FaceOutputs = .all
  ) throws -> Face {
    try picture.withUpright(willCrop: true) { image throws(Status) in
      try analyzer.complete(face, outputs, .upright, in: image)
    }
  }

  /// A head in the middle of the picture and far away is turned as its pose says, which ignores perspective.
  @Test func transformHasTheRotationOfThePose() throws {
    let face = try analyze(try Astronaut.photo(), Astronaut.face, [.landmarks, .pose, .transform])
    let (pose, landmarks) = (try #require(face.pose), try #require(face.landmarks))
    let transform = try #require(face.transform)
    // The head is above the middle of the photo, and about as far away as a head of that size is.
    #expect(transform.y.w > 5 && transform.z.w < -40 && transform.z.w > -90)

    let size = PixelSize(width: 4096, height: 4096)
    let middle = landmarks.points[Landmarks.noseTip]
    var moved = landmarks
    for index in moved.points.indices {
      moved.points[index].x += Float(size.width) / 2 - middle.x
      moved.points[index].y += Float(size.height) / 2 - middle.y
    }
    let found = try #require(HeadTransform.fit(moved, in: size))
    var turn = Rotation(quaternion: SIMD4(1, 0, 0, 0))
    // The axes of the pose point right, down and away.
    turn.rows = [
      SIMD3(found.x.x, -found.x.y, -found.x.z), SIMD3(-found.y.x, found.y.y, found.y.z),
      SIMD3(-found.z.x, found.z.y, found.z.z),
    ]
    let seen = try #require(Pose(turn))
    #expect(
      abs(seen.yaw - pose.yaw) < 1 && abs(seen.pitch - pose.pitch) < 1 && abs(seen.roll - pose.roll) < 1,
      "\(seen) is not \(pose)")
  }

  @Test func everyOutputIsComputed() throws {
    let face = try analyze(try Astronaut.photo())
    let landmarks = try #require(face.landmarks)
    #expect(landmarks.points.count == Landmarks.count && landmarks.confidence > 0.99)
    let points = try #require(face.points)
    func near(_ point: Point, _ index: Int) -> Bool {
      abs(landmarks.points[index].x - point.x) < 6 && abs(landmarks.points[index].y - point.y) < 6
    }
    #expect(
      near(points.leftEye, 473) && near(points.rightEye, 468) && near(points.noseTip, Landmarks.noseTip))
    #expect(near(points.mouthLeft, Landmarks.mouthLeft) && near(points.mouthRight, Landmarks.mouthRight))
    let pose = try #require(face.pose)
    #expect(abs(pose.yaw) < 12 && abs(pose.pitch) < 12 && abs(pose.roll) < 6)
    let eyes = try #require(face.eyes)
    #expect(eyes.leftOpen > 0.7 && eyes.rightOpen > 0.7)
    let mouth = try #require(face.mouth)
    #expect(mouth.smile > 0.7 && mouth.open > 0.05 && mouth.open < 0.6)
    #expect(face.expressions?.values.count == Expressions.count)
    #expect(face.expressions?.values.allSatisfy { (0...1).contains($0) } == true)
    let quality = try #require(face.quality)
    #expect(quality.framing == 1 && quality.overall > 0.4 && quality.overall <= 1)
  }

  /// Each output alone gives itself and nothing else.
  @Test func onlyRequestedOutputsAreComputed() throws {
    let photo = try Astronaut.photo()
    func outputs(of face: Face) -> [Bool] {
      [
        face.landmarks != nil, face.pose != nil, face.eyes != nil, face.mouth != nil, face.expressions != nil,
        face.quality != nil,
      ]
    }
    let single: [FaceOutputs] = [.landmarks, .pose, .eyes, .mouth, .expressions, .quality]
    for (index, output) in single.enumerated() {
      #expect(outputs(of: try analyze(photo, Astronaut.face, output)) == single.indices.map { $0 == index })
    }
    #expect(try analyze(photo, Astronaut.face, []) == Astronaut.face)
  }

  @Test func pictureWithoutAFaceHasNoMeasurements() throws {
    let noise = Picture.noise(512, 512, seed: 3)
    #expect(try analyze(noise) == Astronaut.face)
    var nowhere = Astronaut.face
    nowhere.box = Box(x: 100, y: 100, width: 0, height: 0)
    #expect(try analyze(try Astronaut.photo(), nowhere) == nowhere)
  }

  /// In a mirrored photo, yaw and roll change signs, and left and right change places.
  @Test func mirroredPictureGivesMirroredMeasurements() throws {
    let photo = try Astronaut.photo()
    let straight = try analyze(photo)
    let mirrored = Picture(512, 512) { x, y in photo[511 - x, y] }
    func flip(_ point: Point) -> Point { Point(x: 512 - point.x, y: point.y) }
    var face = Astronaut.face
    face.box.x = 512 - face.box.maxX
    let points = try #require(face.points)
    face.points = FivePoints(
      leftEye: flip(points.rightEye), rightEye: flip(points.leftEye), noseTip: flip(points.noseTip),
      mouthLeft: flip(points.mouthRight), mouthRight: flip(points.mouthLeft))
    let seen = try analyze(mirrored, face)
    let (pose, other) = (try #require(straight.pose), try #require(seen.pose))
    #expect(
      abs(pose.yaw + other.yaw) < 2 && abs(pose.pitch - other.pitch) < 2 && abs(pose.roll + other.roll) < 1)
    let (eye, otherEye) = (
      try #require(straight.landmarks).points[263], try #require(seen.landmarks).points[33]
    )
    #expect(abs(eye.x - (512 - otherEye.x)) < 2 && abs(eye.y - otherEye.y) < 2)
  }

  /// As in video, the points of one frame lead to those of the next.
  @Test func pointsOfOneFrameAreFollowedInTheNext() throws {
    let photo = try Astronaut.photo()
    let landmarks = try #require(try analyze(photo).landmarks)
    try photo.withUpright(willCrop: true) { picture throws(Status) in
      var shifted = landmarks
      for index in shifted.points.indices {
        shifted.points[index].x += 8
        shifted.points[index].y -= 5
      }
      let found = try analyzer.follow(shifted, in: picture)
      #expect(found != nil)
      let distances = zip(found?.points ?? [], landmarks.points).map { abs($0.x - $1.x) + abs($0.y - $1.y) }
      #expect(distances.reduce(0, +) / 478 < 2)
      var away = landmarks
      for index in away.points.indices { away.points[index].y += 250 }
      #expect(try analyzer.follow(away, in: picture) == nil)
    }
  }
}
