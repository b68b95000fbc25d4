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
    ("BinaryOp                 add_0                    2 1 25 36 37 0=0", "BinaryOp a 2 1 25 36 37 0=2"),
    ("BinaryOp                 add_0                    2 1 25 36", "BinaryOp a 2 1 36 36"),
    ("Split                    splitncnn_0 ", "Noop s"), ("7=16", "7=8"), ("4=1 5=1 6=144", "4=2 5=1 6=144"),
  ])
  func otherLayersAreLeftToNcnn(old: String, new: String) throws {
    let place = try #require(graph.firstRange(of: old))
    var changed = graph
    changed.replaceSubrange(place, with: new)
    let problem = problem(changed)
    #expect(problem?.code == .unimplemented && problem?.message.contains("fused kernels do not") == true)
  }

  @Test func outputsOfOtherKindsAreLeftToNcnn() {
    for name in ["36", "4", "no such blob", "in0"] {
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
    #expect(try network.values(filledWith: -10, height: 1, width: 1, input: "data", ["out"])[0][0] == -5)
  }

  /// Without the plug-in the kernels say it.
  @Test func damagedFilesAreReportedAsSuch() throws {
    expectFailure(".bin file is shorter") {
      try NetworkLoader.load(
        graph: package.graph, weights: Array(package.weights.dropLast(4)), inputBlob: "in0", outputs: outputs)
    }
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
    expectFailure(.unimplemented, "Padding") {
      try FusedNetwork(
        graph: Array((graph + doublings).joined(separator: "\n").utf8), weights: weights, inputBlob: "in0",
        outputs: ["a"])
    }
  }
}
