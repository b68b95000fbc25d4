import Detection
import FaceCore
import TestSupport
import Testing

/// The families on synthetic maps, compared with their published formulas.
@Suite struct DetectorFamilyTests {
  struct Subject: Sendable, CustomTestStringConvertible {
    let family: any DetectorFamily
    /// The channels of the maps, by level.
    let levels: [[Int]]
    let naive: @Sendable (Recording, Double) -> [Face]
    var testDescription: String { "\(type(of: family))" }

    init(
      _ family: any DetectorFamily, _ levels: [[Int]],
      naive: @escaping @Sendable (Recording, Double) -> [Face]
    ) {
      (self.family, self.levels, self.naive) = (family, levels, naive)
    }

    /// Maps of 12×8 cells of the finest stride, values from −3 to 3.
    func noise() -> Recording {
      var generator = SeededGenerator(seed: UInt64(levels.joined().reduce(0, +)))
      return maps(12, 8) { Float.random(in: -3...3, using: &generator) }
    }

    func maps(_ width: Int, _ height: Int, _ value: () -> Float) -> Recording {
      Recording(
        maps: levels.enumerated().flatMap { level, channels in
          channels.map { channels in
            let (width, height) = (max(1, width >> level), max(1, height >> level))
            let values = (0..<channels * width * height).map { _ in value() }
            return .init(channels: channels, height: height, width: width, values: values)
          }
        })
    }
  }

  private static let scrfd = SCRFD.withStrides([8, 16, 32])
  private static let retinaFace = RetinaFace.withStrides([8, 16, 32])
  private static let anchors: [(Double, [(Double, Double)])] = [
    (8, [(4, 5), (8, 10), (13, 16)]), (16, [(23, 29), (43, 55), (73, 105)]),
    (32, [(146, 217), (231, 300), (335, 433)]),
  ]

  private static let subjects = [
    Subject(CenterFace.withStrides([4]), [[1, 2, 2, 10]]) {
      NaiveFamilies.centerFace($0, stride: 4, minConfidence: $1)
    },
    Subject(YOLOv5Face.withStrides([8, 16, 32]), [[48], [48], [48]]) {
      NaiveFamilies.yolo($0, anchors: anchors, minConfidence: $1)
    },
    Subject(scrfd, Array(repeating: [2, 8, 20], count: 3)) {
      NaiveFamilies.scrfd($0, strides: [8, 16, 32], anchors: 2, minConfidence: $1)
    },
    Subject(retinaFace, Array(repeating: [4, 8, 20], count: 3)) {
      NaiveFamilies.retinaFace(
        $0, anchors: [(8, [16, 32]), (16, [64, 128]), (32, [256, 512])], minConfidence: $1)
    },
  ]
  /// Its formulas are compared on a recording.
  private static let yunet = Subject(
    YuNet.withStrides([8, 16, 32]), Array(repeating: [1, 1, 4, 10], count: 3)
  ) {
    NaiveFamilies.yunet($0, strides: [8, 16, 32], minConfidence: $1)
  }

  @Test(arguments: subjects, [Float(0), 0.3, 0.6])
  func familiesAgreeWithTheirFormulas(subject: Subject, minConfidence: Float) throws {
    let maps = subject.noise()
    let expected = subject.naive(maps, Double(minConfidence))
    for gap in [0, 3] {
      let faces = try maps.withViews(gap: gap) { try subject.family.decode($0, minConfidence: minConfidence) }
      #expect(faces.count == expected.count && !expected.isEmpty)
      for (face, reference) in zip(faces, expected) {
        let size = max(reference.box.width, reference.box.height, 100)
        #expect(face.distance(to: reference) < size * 1e-4)
      }
    }
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
  @Test(arguments: subjects + [yunet]) func notANumberIsNoFace(subject: Subject) throws {
    let faces = try subject.maps(1, 1) { .nan }.withViews { try subject.family.decode($0, minConfidence: 0) }
    #expect(faces.allSatisfy { !($0.confidence > 0) })
  }

  @Test(arguments: subjects + [yunet]) func mapsOfAnotherShapeOrNumberAreRefused(subject: Subject) {
    func problem(_ recording: Recording) -> Status? {
      recording.withViews { views in
        failure { () throws(Status) in _ = try subject.family.decode(views, minConfidence: 0.5) }
      }
    }
    let whole = subject.noise()
    #expect(problem(whole) == nil)
    #expect(subject.family.outputs.count == whole.maps.count)
    for index in whole.maps.indices {
      // The only map of a level may have any size.
      for (channels, height, width) in [(1, 0, 0), (0, 1, 0), (0, 0, 1)].prefix(subject.levels[0].count) {
        var recording = whole
        let map = whole.maps[index]
        let shape = (channels: map.channels + channels, height: map.height + height, width: map.width + width)
        recording.maps[index] = .init(
          channels: shape.channels, height: shape.height, width: shape.width,
          values: Array(repeating: 1, count: shape.channels * shape.height * shape.width))
        #expect(problem(recording)?.code == .failedPrecondition)
      }
    }
    #expect(problem(Recording(maps: Array(whole.maps.dropLast())))?.code == .internal)
    #expect(problem(Recording(maps: []))?.code == .internal)
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
    expectFailure(message) {
      try detectorFamily(
        named: name, outputs: strides.isEmpty ? [:] : outputs, strides: strides, inputMultiple: 32)
    }
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
