import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

private func random(_ count: Int, _ scale: Float, _ generator: inout SeededGenerator) -> [Float] {
  (0..<count).map { _ in Float.random(in: -scale...scale, using: &generator) }
}

private func tensor(_ rows: [[Float]]) throws(Status) -> Tensor {
  let tensor = try Tensor(channels: rows.count, height: 1, width: rows[0].count)
  for (index, row) in rows.enumerated() {
    for (column, value) in row.enumerated() { tensor.channel(index)[column] = value }
  }
  return tensor
}

/// The expression network beside ncnn, and files of it that are damaged or changed.
@Suite(.needsAnalysisModels) struct MixerNetworkTests {
  private let package: ModelPackage
  private let graph: String

  init() throws {
    package = try RealModel.package("blendshapes")
    graph = String(decoding: package.graph, as: UTF8.self)
  }

  private func mixer(
    _ graph: [UInt8]? = nil, _ weights: [UInt8]? = nil, outputs: [String] = ["out0"],
    _ instructions: InstructionSet = .best
  ) throws(Status) -> MixerNetwork {
    try MixerNetwork(
      graph: graph ?? package.graph, weights: weights ?? package.weights, inputBlob: "in0", outputs: outputs,
      instructions: instructions)
  }

  private func problem(_ graph: String, _ weights: [UInt8]? = nil, outputs: [String] = ["out0"]) -> Status? {
    failure { () throws(Status) in _ = try mixer(Array(graph.utf8), weights, outputs: outputs) }
  }

  private func run(
    _ network: some Network, _ input: borrowing Tensor, _ outputs: [String] = ["out0"]
  ) throws(Status) -> [[Float]] { try network.values(input, outputs) }

  /// Points as large as those of faces, larger and smaller.
  @Test(.needsNcnn, arguments: [0.1, 1.5, 40] as [Float])
  func outputsAgreeWithNcnn(scale: Float) throws {
    let ncnn = try NcnnPlugin.network(package)
    var generator = SeededGenerator(seed: 31)
    for _ in 0..<4 {
      let input = try tensor((0..<146).map { _ in random(2, scale, &generator) })
      let reference = try run(ncnn, input)
      for instructions in InstructionSet.allCases where instructions.isAvailable {
        let ours = try run(mixer(nil, nil, outputs: ["out0"], instructions), input)
        #expect(difference(ours, reference) <= 1e-4, "\(instructions)")
      }
    }
  }

  /// A blob in the middle needs rows that the last one does not.
  @Test(.needsNcnn)
  func otherBlobsAreOutputsToo() throws {
    let ncnn = try NcnnPlugin.network(package)
    var generator = SeededGenerator(seed: 32)
    let input = try tensor((0..<146).map { _ in random(2, 1, &generator) })
    // Tokens, what is made of them by a product and by a sum, the last sum, and a transposed one.
    let names = ["3", "17", "20", "out0", "59"]
    // One at a time: ncnn forgets a blob that another was made of.
    var reference: [[Float]] = []
    for name in names { reference += try run(ncnn, input, [name]) }
    let network = try mixer(outputs: names)
    let ours = try run(network, input, names)
    #expect(difference(ours, reference) <= 1e-5)
    #expect(try run(network, input, ["out0", "3"]) == [ours[3], ours[0]])
    #expect(try difference(run(mixer(), input), [ours[3]]) <= 1e-6)
  }

  /// Runs are nested, so that several workspaces are in use at once.
  @Test func concurrentRunsAreIndependent() throws {
    let network = try mixer()
    func nested(_ depth: Int) throws(Status) -> [[Float]] {
      let input = try tensor((0..<146).map { [Float(($0 + depth) % 7) - 3, Float(depth)] })
      return try network.run(input, inputBlob: "in0", outputs: ["out0"]) { (maps) throws(Status) in
        let before = maps.map(\.numbers)
        let others = depth == 0 ? [] : try nested(depth - 1)
        #expect(maps.map(\.numbers) == before)
        return before + others
      }
    }
    let first = try nested(20)
    #expect(first.count == 21 && Set(first).count == 21)
    #expect(!network.releaseUnusedMemory(beyond: .usedSince))
    _ = try nested(3)
    #expect(network.releaseUnusedMemory(beyond: .usedSince))
    #expect(network.releaseUnusedMemory(beyond: .forOneCall))
    #expect(!network.releaseUnusedMemory(beyond: .forOneCall))
    #expect(try nested(20) == first)
  }

  @Test func inputsOfAnotherFormAreRefused() throws {
    let network = try mixer()
    for (channels, height, width) in [(145, 1, 2), (146, 1, 3), (146, 2, 1), (2, 1, 146)] {
      expectFailure(.invalidArgument, "takes 146 rows of 2") {
        try network.values(channels: channels, height: height, width: width, ["out0"])
      }
    }
    for (input, output) in [("in1", "out0"), ("in0", "out1")] {
      expectFailure(.failedPrecondition, "model.json") {
        try network.values(channels: 146, height: 1, width: 2, input: input, [output])
      }
    }
  }

  /// Each change turns one layer into one that only ncnn knows.
  @Test(arguments: [
    ("9=1", "9=2 -23310=1,0.1"), ("1=1 11=1", "1=3 11=3"), ("3=1 4=0", "3=2 4=0"), ("4=0 5=1", "4=1 5=1"),
    ("0=5", "0=4"), ("LayerNorm", "GroupNorm"), ("0=64 1=1.0", "0=32 1=1.0"), ("10 11 0=97", "10 11 0=98"),
    ("12 0=0", "12 0=2"), ("11 7 12", "7 7 12"), ("-23310=1,1", "-23310=1,98"), ("-23310=1,1", "-23310=1,0"),
    ("-23309=1,0", "-23309=1,1"), ("-23311=1,0", "-23311=1,2"), ("4 3 5 0=2", "4 3 5 0=0"),
    ("4 3 5 0=2", "3 4 5 0=2"), ("0=1 1=1 2=64", "0=1 1=2 2=32"),
    ("MemoryData               c4 ", "Noise c4 "),
    ("in0                      0 1 in0", "in1 0 1 in1"),
  ])
  func otherLayersAreNotTaken(old: String, new: String) throws {
    let place = try #require(graph.firstRange(of: old))
    var changed = graph
    changed.replaceSubrange(place, with: new)
    // The input's new name is not that of the blob that is read.
    if new.contains("in1") { changed = changed.replacing(" in0 1 0=96", with: " in1 1 0=96") }
    expectFailure(.unimplemented, "fused kernels do not") { try mixer(Array(changed.utf8)) }
  }

  @Test func outputsOfOtherKindsAreNotTaken() {
    for name in ["in0", "4", "63", "no such blob"] {
      #expect(problem(graph, outputs: [name])?.code == .unimplemented, "\(name)")
    }
  }

  @Test func mismatchedWeightsAreReportedAsDamage() {
    let weights = package.weights
    for count in [0, 3, 4, 1000, weights.count / 2, weights.count - 4, weights.count - 1] {
      let problem = problem(graph, Array(weights.prefix(count)))
      #expect(problem?.code == .failedPrecondition && problem?.message.contains(".bin") == true, "\(count)")
    }
    #expect(problem(graph, weights + [0])?.message.contains("does not belong") == true)
    var half = weights
    half.replaceSubrange(0..<4, with: [0x47, 0x6B, 0x30, 0x01])
    #expect(problem(graph, half)?.code == .unimplemented, "weights of 16 bits")
  }
}
