import Detection
import FaceCore
import TestSupport
import Testing

/// CenterFace, YOLOv5-face, SCRFD and RetinaFace on synthetic maps, compared with their published formulas.
@Suite struct DetectorFamilyTests {
  private static let centerFace = CenterFace.withStrides([4])
  private static let yolo = YOLOv5Face.withStrides([8, 16, 32])
  private static let scrfd = SCRFD.withStrides([8, 16, 32])
  private static let retinaFace = RetinaFace.withStrides([8, 16, 32])

  /// Maps of these channels over 12×8 cells of the finest stride, values from −3 to 3.
  private func noise(_ levels: [[Int]], seed: UInt64) -> Recording {
    var generator = SeededGenerator(seed: seed)
    return Recording(
      maps: levels.enumerated().flatMap { level, channels in
        channels.map { channels in
          let (width, height) = (12 >> level, 8 >> level)
          let values = (0..<channels * width * height).map { _ in Float.random(in: -3...3, using: &generator)
          }
          return Recording.Map(channels: channels, height: height, width: width, values: values)
        }
      })
  }

  private func check(_ faces: [Face], _ expected: [Face], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(faces.count == expected.count && !expected.isEmpty, sourceLocation: sourceLocation)
    for (face, reference) in zip(faces, expected) {
      let size = max(reference.box.width, reference.box.height, 100)
      #expect(face.distance(to: reference) < size * 1e-4, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [Float(0), 0.3, 0.6], [0, 3])
  func centerFaceAgreesWithItsFormulas(minConfidence: Float, gap: Int) throws {
    let maps = noise([[1, 2, 2, 10]], seed: 1)
    let faces = try maps.withViews(gap: gap) { try Self.centerFace.decode($0, minConfidence: minConfidence) }
    check(faces, NaiveFamilies.centerFace(maps, stride: 4, minConfidence: Double(minConfidence)))
  }

  @Test(arguments: [Float(0), 0.3, 0.6], [0, 3])
  func yoloAgreesWithItsFormulas(minConfidence: Float, gap: Int) throws {
    let maps = noise([[48], [48], [48]], seed: 2)
    let faces = try maps.withViews(gap: gap) { try Self.yolo.decode($0, minConfidence: minConfidence) }
    let anchors: [(Double, [(Double, Double)])] = [
      (8, [(4, 5), (8, 10), (13, 16)]), (16, [(23, 29), (43, 55), (73, 105)]),
      (32, [(146, 217), (231, 300), (335, 433)]),
    ]
    check(faces, NaiveFamilies.yolo(maps, anchors: anchors, minConfidence: Double(minConfidence)))
  }

  @Test(arguments: [Float(0), 0.3, 0.6], [0, 3])
  func scrfdAgreesWithItsFormulas(minConfidence: Float, gap: Int) throws {
    let maps = noise([[2, 8, 20], [2, 8, 20], [2, 8, 20]], seed: 3)
    let faces = try maps.withViews(gap: gap) { try Self.scrfd.decode($0, minConfidence: minConfidence) }
    check(
      faces,
      NaiveFamilies.scrfd(maps, strides: [8, 16, 32], anchors: 2, minConfidence: Double(minConfidence)))
  }

  @Test(arguments: [Float(0), 0.3, 0.6], [0, 3])
  func retinaFaceAgreesWithItsFormulas(minConfidence: Float, gap: Int) throws {
    let maps = noise([[4, 8, 20], [4, 8, 20], [4, 8, 20]], seed: 4)
    let faces = try maps.withViews(gap: gap) { try Self.retinaFace.decode($0, minConfidence: minConfidence) }
    check(
      faces,
      NaiveFamilies.retinaFace(
        maps, anchors: [(8, [16, 32]), (16, [64, 128]), (32, [256, 512])],
        minConfidence: Double(minConfidence)))
  }

  /// A faulty network gives no infinite box.
  @Test func aRetinaFaceBoxIsFinite() throws {
    func map(_ channels: Int, _ value: Float) -> Recording.Map {
      .init(channels: channels, height: 1, width: 1, values: Array(repeating: value, count: channels))
    }
    let scores = Recording.Map(channels: 4, height: 1, width: 1, values: [0, 9, 0, 9])
    let maps = (0..<3).flatMap { _ in [scores, map(8, 1e9), map(20, 0)] }
    let faces = try Recording(maps: maps).withViews { try Self.retinaFace.decode($0, minConfidence: 0.5) }
    #expect(faces.count == 6 && faces.allSatisfy { $0.box.width.isFinite && $0.box.x.isFinite })
  }

  @Test func scrfdWithoutPointsHasNone() throws {
    let family = try SCRFD(outputs: ["scores": ["s"], "box": ["b"]], strides: [8], inputMultiple: 8)
    #expect(family.outputs == ["s", "b"])
    let map = Recording.Map(channels: 2, height: 1, width: 1, values: [0.5, 0])
    let box = Recording.Map(channels: 8, height: 1, width: 1, values: Array(repeating: 1, count: 8))
    let faces = try Recording(maps: [map, box]).withViews { try family.decode($0, minConfidence: 0.5) }
    #expect(faces == [Face(box: Box(x: -8, y: -8, width: 16, height: 16), confidence: 0.5, points: nil)])
  }

  /// No cell whose probability suffices is rejected because of its score.
  @Test(arguments: [ScoreForm.logit, .probability], [0, 1e-30, 1e-6, 0.02, 0.3, 0.5, 0.6, 0.97, 0.99995, 1])
  func minScoreKeepsEveryProbabilityAboveTheThreshold(form: ScoreForm, probability: Float) {
    let least = form.minScore(for: probability)
    let scores = (-20_000...20_000).map { Float($0) / 200 }
    let near = (-2000...2000).map { least + Float($0) / 100_000 }
    let wrong = (scores + near).first { $0 < least && form.probability($0) >= probability }
    #expect(wrong == nil)
    // The threshold is tight enough to be of use.
    if probability > 0, probability < 0.999 { #expect(form.probability(least) > probability * 0.98) }
  }

  /// A faulty network gives NaN: such cells are no faces.
  @Test func notANumberIsNoFace() throws {
    func maps(_ channels: [Int]) -> Recording {
      Recording(
        maps: channels.map {
          .init(channels: $0, height: 1, width: 1, values: Array(repeating: .nan, count: $0))
        }
      )
    }
    #expect(try maps([1, 2, 2, 10]).withViews { try Self.centerFace.decode($0, minConfidence: 0) }.isEmpty)
    #expect(try maps([48, 48, 48]).withViews { try Self.yolo.decode($0, minConfidence: 0) }.isEmpty)
    #expect(
      try maps([4, 8, 20, 4, 8, 20, 4, 8, 20]).withViews { try Self.retinaFace.decode($0, minConfidence: 0) }
        .isEmpty)
    #expect(
      try maps([2, 8, 20, 2, 8, 20, 2, 8, 20]).withViews { try Self.scrfd.decode($0, minConfidence: 0) }
        .allSatisfy { !($0.confidence > 0) })
  }

  @Test(arguments: [
    (centerFace as any DetectorFamily, [[1, 2, 2, 10]]), (yolo, [[48], [48], [48]]),
    (scrfd, [[2, 8, 20], [2, 8, 20], [2, 8, 20]]), (retinaFace, [[4, 8, 20], [4, 8, 20], [4, 8, 20]]),
  ])
  func mapsOfAnotherShapeOrNumberAreRefused(family: any DetectorFamily, levels: [[Int]]) {
    func problem(_ recording: Recording) -> Status? {
      recording.withViews { views in
        failure { () throws(Status) in _ = try family.decode(views, minConfidence: 0.5) }
      }
    }
    let whole = noise(levels, seed: 4)
    #expect(problem(whole) == nil)
    #expect(family.outputs.count == whole.maps.count)
    for index in whole.maps.indices {
      var recording = whole
      let map = whole.maps[index]
      recording.maps[index] = .init(
        channels: map.channels + 1, height: map.height, width: map.width,
        values: Array(repeating: 1, count: (map.channels + 1) * map.height * map.width))
      #expect(problem(recording)?.code == .failedPrecondition)
    }
    #expect(problem(Recording(maps: Array(whole.maps.dropLast())))?.code == .internal)
  }

  @Test(arguments: [
    ("centerface", [4, 8], "strides in model.json must be one number for CenterFace"),
    ("retinaface", [8, 64], "strides in model.json has 64; the anchors of RetinaFace are for 8, 16, 32"),
    ("yolov5-face", [4], "strides in model.json has 4; the anchors of YOLOv5-face are for 8, 16, 32"),
    ("yunet2", [8], "this version knows: " + knownFamilies.map { $0.name }.joined(separator: ", ")),
    ("yunet", [], "outputs in model.json has no \"cls\", which the family yunet needs"),
  ])
  func aManifestOfNoKnownFormIsRefused(name: String, strides: [Int], message: String) {
    let kinds = knownFamilies.first { $0.name == name }?.kinds ?? []
    let outputs = Dictionary(uniqueKeysWithValues: kinds.map { ($0, strides.map { "\($0)" }) })
    let problem = failure { () throws(Status) in
      _ = try detectorFamily(
        named: name, outputs: strides.isEmpty ? [:] : outputs, strides: strides, inputMultiple: 32)
    }
    #expect(problem?.message.contains(message) == true, "\(String(describing: problem))")
  }
}

extension KnownFamily {
  /// The family with maps that are named by their kind and stride, as in "cls8".
  static func withStrides(_ strides: [Int]) -> Self {
    let outputs = Self.kinds.map { kind in (kind, strides.map { "\(kind)\($0)" }) }
    do throws(Status) {
      return try Self(
        outputs: Dictionary(uniqueKeysWithValues: outputs), strides: strides, inputMultiple: 32)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
