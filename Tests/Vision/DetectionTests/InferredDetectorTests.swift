import Detection
import FaceCore
import Inference
import ONNX
import TestSupport
import Testing

/// Families that are recognised by their graphs alone.
@Suite struct InferredDetectorTests {
  /// An input of three channels and, for each stride, the maps of these channels behind convolutions of that
  /// stride.
  ///
  /// - Parameter tail: the types of the layers after each convolution; none by default.
  private func graph(_ levels: [(stride: Int, channels: [Int])], tail: (Int) -> [String] = { _ in [] })
    -> [UInt8]
  {
    let ends = levels.flatMap { level in level.channels.map { (level.stride, $0) } }
    var lines = [
      "Input in 0 1 data",
      "Split fork 1 \(ends.count) data " + ends.indices.map { "d\($0)" }.joined(separator: " "),
    ]
    var blobs = 1 + ends.count
    for (index, end) in ends.enumerated() {
      lines.append("Convolution c\(index) 1 1 d\(index) m\(index) 0=\(end.1) 1=3 3=\(end.0) 6=\(end.1 * 27)")
      blobs += 1
      var blob = "m\(index)"
      for (step, type) in tail(end.1).enumerated() {
        lines.append("\(type) t\(index)_\(step) 1 1 \(blob) m\(index)_\(step)")
        blob = "m\(index)_\(step)"
        blobs += 1
      }
    }
    return Array((["7767517", "\(lines.count) \(blobs)"] + lines).joined(separator: "\n").utf8)
  }

  private let three = [8, 16, 32]

  @Test func yoloIsKnownByItsThreeHeads() throws {
    let layouts = ["Reshape", "Permute"]
    for tail in [[], layouts] {
      let found = try InferredDetector(graph: graph(three.map { ($0, [48]) }) { _ in tail })
      #expect(found.familyName == "yolov5-face")
      #expect(
        found.input
          == InputSpecification(
            blob: "data", colour: .rgb, mean: [0, 0, 0], scale: Array(repeating: 1 / 255, count: 3)))
      let family = try #require(found.family as? YOLOv5Face)
      #expect(family.levels.map(\.stride) == three)
      // The outputs are the maps themselves, not the lists after them.
      #expect(family.outputs == ["m0", "m1", "m2"])
    }
  }

  @Test func scrfdIsKnownInAnyOrderOfItsHeads() throws {
    for channels in [[2, 8, 20], [20, 2, 8], [2, 8]] {
      let found = try InferredDetector(
        graph: graph(three.reversed().map { ($0, channels) }) { $0 == 2 ? ["Sigmoid"] : [] })
      #expect(found.familyName == "scrfd")
      #expect(found.input.mean == [127.5, 127.5, 127.5] && found.input.colour == .rgb)
      let family = try #require(found.family as? SCRFD)
      #expect(family.levels.map(\.stride) == three && family.anchors == 2)
      #expect(family.scoreForm == .probability)
      #expect(
        family.levels.allSatisfy { $0.blobs[0].hasSuffix("_0") && $0.blobs.count == channels.count })
    }
  }

  /// After a list the sigmoid is useless to us: the scores are taken before it.
  @Test func scoresBeforeASigmoidAreRecognisedAsLogits() throws {
    let found = try InferredDetector(
      graph: graph(three.map { ($0, [2, 8, 20]) }) {
        $0 == 2 ? ["Permute", "Reshape", "Sigmoid"] : ["Permute"]
      })
    let family = try #require(found.family as? SCRFD)
    #expect(family.scoreForm == .logit)
    #expect(family.outputs == (0..<9).map { "m\($0)" })
  }

  @Test func theOwnFamiliesAreKnownWithoutTheirManifests() throws {
    let yunet = try InferredDetector(
      graph: graph(three.map { ($0, [1, 1, 4, 10]) }) { $0 == 1 ? ["Sigmoid"] : [] })
    #expect(yunet.familyName == "yunet" && yunet.input.colour == .bgr)
    let centerFace = try InferredDetector(
      graph: graph([(4, [1, 2, 2, 10])]) { $0 == 1 ? ["Sigmoid"] : [] })
    #expect(centerFace.familyName == "centerface" && centerFace.input.colour == .rgb)
  }

  /// The layout that an ONNX file gives its maps, and what it computes from them, do not matter.
  @Test func retinaFaceIsKnownInAnyOrderOfItsHeads() throws {
    for channels in [[4, 8, 20], [8, 20, 4]] {
      let found = try InferredDetector(
        graph: graph(three.map { ($0, channels) }) { _ in ["Permute", "Reshape"] })
      #expect(found.familyName == "retinaface" && found.input.colour == .bgr)
      #expect(found.input.mean == [104, 117, 123] && found.input.scale == [1, 1, 1])
      let family = try #require(found.family as? RetinaFace)
      #expect(family.levels.map(\.stride) == three)
    }
  }

  @Test(arguments: ["centerface", "retinaface", "scrfd", "yolov5-face", "yunet"])
  func familiesAreKnownByTheirONNXFiles(name: String) throws {
    let network = try ONNXImporter.network(Fixture.bytes("Tests/Fixtures/onnx/\(name).onnx"))
    let found = try InferredDetector(graph: network.graph, normalisation: network.normalisation)
    #expect(found.familyName == name)
    if name == "scrfd" {
      let family = try #require(found.family as? SCRFD)
      #expect(family.levels.map(\.stride) == three && family.scoreForm == .probability)
      // The input is normalised as by the network's own first layers.
      #expect(found.input.mean == [120, 110, 100] && found.input.scale == Array(repeating: 1 / 64, count: 3))
    }
  }

  @Test func unknownGraphIsReportedWithItsOutputs() {
    for levels in [
      [(8, [48]), (16, [48])], [(8, [18]), (16, [18]), (32, [18])], [(32, [1000])], [(4, [1, 2])],
    ] {
      expectFailure(.failedPrecondition, "\(levels[0].1[0]) at stride \(levels[0].0)") {
        try InferredDetector(graph: graph(levels))
      }
    }
    for text in [
      "", "7767517\n1 1\nInput a 0 1 a", "7767517\n2 2\nInput a 0 1 a\nSoftmax b 1 1 a b", "{}",
      "7767517\n3 3\nInput a 0 1 a\nInput b 0 1 b\nConcat c 2 1 a b c",
      "7767517\n2 2\nInput a 0 1 a\nConvolution b 1 1 a b 0=99999999999999999999 3=-1",
      "7767517\n2 2\nInput a 0 1 a\nConvolution b 1 1 a b 0=nan 3=inf",
    ] {
      expectFailure(.failedPrecondition) { try InferredDetector(graph: Array(text.utf8)) }
    }
  }

  /// ncnn would read past the end of maps.
  @Test(arguments: [
    "Convolution c 1 1 in a 0=4 1=3 6=107", "Convolution c 1 1 in a 0=4 1=300 6=1080000",
    "Convolution c 1 1 in a 0=4 1=3 3=0 6=108", "Convolution c 1 1 in a 0=4 1=3 4=99999 6=108",
    "ConvolutionDepthWise c 1 1 in a 0=4 1=3 6=54 7=2", "ShuffleChannel c 1 1 in a 0=2",
    "Slice c 1 2 in a b -23300=2,1,1", "Slice c 1 2 in a b -23300=2,4,-233",
    "Slice c 1 2 in a b -23310=2,1,2",
    "Slice c 1 2 in a b -23300=1,3", "Interp c 1 1 in a 0=1 1=nan 2=2", "Interp c 1 1 in a 5=1 1=2 2=2",
    "Interp c 1 1 in a 0=1 1=1e9 2=2",
    "Pooling c 1 1 in a 0=0 1=2 2=0",
  ])
  func layersThatDoNotFitAreNamed(line: String) {
    let outputs = line.contains(" a b ") ? 3 : 2
    let graph = "7767517\n2 \(outputs)\nInput i 0 1 in\n\(line)"
    expectFailure(.failedPrecondition, "layer 2 of the .param file") {
      try InferredDetector(graph: Array(graph.utf8))
    }
  }

  @Test func joiningMapsOfDifferentSizesIsRefused() {
    for line in ["Concat c 2 1 s0 b d 0=0", "BinaryOp c 2 1 s0 b d 0=0"] {
      let graph =
        "7767517\n4 5\nInput i 0 1 in\nSplit s 1 2 in s0 s1\nConvolution k 1 1 s1 b 0=3 1=3 3=2 6=81\n" + line
      expectFailure("layer 4 of the .param file") { try InferredDetector(graph: Array(graph.utf8)) }
    }
  }
}
