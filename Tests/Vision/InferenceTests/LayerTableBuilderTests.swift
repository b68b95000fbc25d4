import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// Which networks the fused kernels take; others are left to ncnn.
@Suite(.needsRealModel) struct LayerTableBuilderTests {
  private let package: ModelPackage
  private let graph: String
  private let outputs = ["out0", "out6"]

  init() throws {
    package = try RealModel.package()
    graph = String(decoding: package.graph, as: UTF8.self)
  }

  private func problem(_ graph: String, _ weights: [UInt8]? = nil, outputs: [String]? = nil) -> Status? {
    failure { () throws(Status) in
      _ = try FusedNetwork(
        graph: Array(graph.utf8), weights: weights ?? package.weights, inputBlob: "in0",
        outputs: outputs ?? self.outputs)
    }
  }

  @Test func theRealGraphIsTaken() {
    #expect(problem(graph) == nil)
    #expect(problem(graph, outputs: ["out11"]) == nil, "outputs that are not asked for may be left out")
  }

  /// Each change turns one layer into one that only ncnn knows.
  @Test(arguments: [
    ("9=1", "9=2 -23310=1,0.1"), ("3=2 4=1", "3=2 4=0"), ("1=3 11=3", "1=5 11=5"), ("13=2", "13=1"),
    ("Pooling                  maxpool2d_2              1 1 3 4 0=0", "Pooling p 1 1 3 4 0=1"),
    ("0=1 1=2.0 2=2.0", "0=2 1=2.0 2=2.0"), ("0=1 1=2.0 2=2.0", "0=1 1=3.0 2=2.0"),
    ("BinaryOp                 add_0                    2 1 25 39 40 0=0", "BinaryOp a 2 1 25 39 40 0=2"),
    ("BinaryOp                 add_0                    2 1 25 39", "BinaryOp a 2 1 39 39"),
    ("Split                    splitncnn_0 ", "Noop s"), ("7=16", "7=8"), ("4=1 5=1 6=144", "4=2 5=1 6=144"),
  ])
  func otherLayersAreLeftToNcnn(old: String, new: String) throws {
    let place = try #require(graph.firstRange(of: old))
    var changed = graph
    changed.replaceSubrange(place, with: new)
    let problem = problem(changed)
    #expect(problem?.code == .unimplemented, "\(String(describing: problem))")
    #expect(problem?.message.contains("fused kernels do not") == true)
  }

  @Test func outputsOfOtherKindsAreLeftToNcnn() {
    for name in ["39", "4", "no such blob", "in0"] {
      #expect(problem(graph, outputs: [name])?.code == .unimplemented, "\(name)")
    }
    #expect(problem(graph, outputs: ["25"]) == nil, "any layer's rows can be an output")
  }

  @Test func mismatchedWeightsAreReportedAsDamage() {
    #expect(problem(graph, Array(package.weights.dropLast()))?.code == .failedPrecondition)
    #expect(problem(graph, package.weights + [0])?.code == .failedPrecondition)
    #expect(problem(graph, [])?.code == .failedPrecondition)
    var half = package.weights
    half.replaceSubrange(0..<4, with: [0x47, 0x6B, 0x30, 0x01])
    #expect(problem(graph, half)?.code == .unimplemented, "weights of 16 bits")
  }

  /// A graph that ncnn knows and the fused kernels do not.
  @Test(.needsNcnn) func anUnknownNetworkIsRunByNcnn() throws {
    let leaky = "7767517\n2 2\nInput input 0 1 data\nReLU relu 1 1 data out 0=0.5\n"
    let network = try NetworkLoader.load(
      graph: Array(leaky.utf8), weights: [], inputBlob: "data", outputs: ["out"])
    #expect(network.runtime == "ncnn")
    let pixels = [UInt8](repeating: 100, count: 4)
    let first = try pixels.withUnsafeBufferPointer { pixels in
      let image = try PixelInput(
        pixels: pixels, stride: 4, width: 1, height: 1, inputWidth: 1, inputHeight: 1, isRedFirst: false,
        mean: SIMD3(repeating: 110), scale: .one)
      return try network.run(image, inputBlob: "data", outputs: ["out"]) { (maps) throws(Status) in
        maps[0].values[0]
      }
    }
    #expect(first == -5)
  }

  /// Without the plug-in the kernels say it.
  @Test func damagedFilesAreReportedAsSuch() throws {
    let problem = failure { () throws(Status) in
      _ = try NetworkLoader.load(
        graph: package.graph, weights: Array(package.weights.dropLast(4)), inputBlob: "in0", outputs: outputs)
    }
    #expect(problem?.message.contains(".bin file is shorter") == true)
  }

  /// A network that loads also runs, or fails with a status.
  @Test func changedGraphsNeverCrash() throws {
    var generator = SeededGenerator(seed: 23)
    var loaded = 0
    let count = LongForm.choose(1500, short: 500)
    for _ in 0..<count {
      var changed = package.graph
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<changed.count, using: &generator)
        // Replacing mostly digits by digits gives texts that are complete and wrong.
        if (48...57).contains(changed[place]) || Int.random(in: 0..<10, using: &generator) == 0 {
          changed[place] = UInt8.random(in: 48...57, using: &generator)
        }
      }
      guard
        let network = try? FusedNetwork(
          graph: changed, weights: package.weights, inputBlob: "in0", outputs: outputs)
      else { continue }
      loaded += 1
      let tensor = try Tensor(channels: 3, height: 32, width: 64)
      tensor.values.update(repeating: 1)
      _ = try? network.run(tensor, inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in maps.count }
    }
    #expect(loaded > count / 75)
  }
}

@Suite struct HostileGraphTests {
  /// Each layer doubles the channels: sixty layers would overflow a number.
  @Test func overflowingChannelCountIsRefused() {
    let doublings = (0..<60).map { "Padding z\($0) 1 1 p\($0) p\($0 + 1) 8=\(16 << $0)" }
    let graph = [
      "7767517", "\(doublings.count + 3) \(doublings.count + 3)", "Input i 0 1 in0",
      "Convolution c 1 1 in0 a 0=16 1=3 3=2 4=1 5=1 6=432", "Pooling m 1 1 a p0 0=0 1=2 2=2",
    ]
    let weights = [UInt8](repeating: 0, count: 4 * (1 + 432 + 16))
    let problem = failure { () throws(Status) in
      _ = try FusedNetwork(
        graph: Array((graph + doublings).joined(separator: "\n").utf8), weights: weights, inputBlob: "in0",
        outputs: ["a"])
    }
    #expect(problem?.code == .unimplemented && problem?.message.contains("Padding") == true)
  }
}
