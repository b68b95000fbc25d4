import FaceCore
import Foundation
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

private func difference(_ one: [Float], _ other: [Float]) -> Float {
  guard one.count == other.count, !one.isEmpty else { return .infinity }
  // NaN counts as infinitely far.
  return zip(one, other).reduce(0) { worst, pair in
    let distance = abs(pair.0 - pair.1)
    return distance <= worst ? worst : distance.isNaN ? .infinity : distance
  }
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
        #expect(difference(ours[0], reference[0]) <= 1e-4, "\(instructions)")
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
    for (index, name) in names.enumerated() {
      let largest = reference[index].reduce(1) { max($0, abs($1)) }
      #expect(difference(ours[index], reference[index]) <= 1e-5 * largest, "\(name)")
    }
    #expect(try run(network, input, ["out0", "3"]) == [ours[3], ours[0]])
    #expect(try difference(run(mixer(), input)[0], ours[3]) <= 1e-6)
  }

  @Test func theLoaderChoosesIt() throws {
    let network = try NetworkLoader.load(
      graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: ["out0"])
    #expect(network is MixerNetwork && network.runtime.hasPrefix("fused kernels, "))
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
    let problem = problem(changed)
    #expect(problem?.code == .unimplemented, "\(String(describing: problem))")
    #expect(problem?.message.contains("fused kernels do not") == true)
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

  @Test func aCutGraphIsRefused() {
    // Of the last line only what may be left out would be missing.
    let whole = graph.utf8.count - (graph.split(separator: "\n").last?.utf8.count ?? 0)
    for count in stride(from: 0, to: whole, by: 97) {
      expectFailure(.failedPrecondition, comment: "cut to \(count)") {
        try mixer(Array(package.graph.prefix(count)))
      }
    }
  }

  /// A network that loads also runs, or fails with a status.
  @Test func changedGraphsNeverCrash() throws {
    var generator = SeededGenerator(seed: 33)
    var loaded = 0
    let count = LongForm.choose(1500, short: 300)
    for _ in 0..<count {
      guard let network = try? mixer(generator.changed(digitsOf: package.graph)) else { continue }
      loaded += 1
      let input = try tensor([[Float]](repeating: [1, -1], count: 146))
      if let found = try? run(network, input) { #expect(found.count == 1) }
    }
    #expect(loaded > count / 75)
  }
}

/// A small network whose graph is made here, by its definition.
@Suite struct MixerGraphTests {
  /// 5 points become 3 tokens of 16 values; a constant one goes before them; a block mixes tokens, then values.
  private static let graph = """
    7767517
    16 17
    Input in 0 1 in
    Convolution c0 1 1 in a 0=3 1=1 5=1 6=15
    Permute p0 1 1 a b 0=5
    Convolution c1 1 1 b c 0=16 1=1 5=0 6=32
    MemoryData m 0 1 d 0=1 1=1 2=16
    Concat k 2 1 d c e 0=2
    Permute p1 1 1 e f 0=5
    Split s 1 2 f g h
    LayerNorm n 1 1 g i 0=16 1=0.001 2=1
    Convolution c2 1 1 i j 0=7 1=1 5=1 6=28 9=1
    Convolution c3 1 1 j l 0=4 1=1 5=1 6=28
    BinaryOp b0 2 1 h l o 0=0
    LayerNorm q 1 1 o p 0=16 1=0.001 2=0
    Crop v 1 1 p t -23309=1,0 -23310=1,2 -23311=1,0
    Permute p3 1 1 t u 0=5
    Convolution c4 1 1 u out 0=9 1=1 5=1 6=144 9=4

    """

  private typealias Rows = [[Double]]

  private static func transposed(_ matrix: Rows) -> Rows {
    matrix[0].indices.map { column in matrix.map { $0[column] } }
  }

  private static func mixed(_ matrix: Rows, _ weights: [Float], _ bias: [Float], relu: Bool = false) -> Rows {
    bias.indices.map { row in
      matrix[0].indices.map { column in
        let sum = matrix.indices.reduce(Double(bias[row])) {
          $0 + Double(weights[row * matrix.count + $1]) * matrix[$1][column]
        }
        return relu ? max(0, sum) : sum
      }
    }
  }

  private static func normalised(_ matrix: Rows, _ gains: [Float], _ offsets: [Float]) -> Rows {
    matrix.map { row in
      let mean = row.reduce(0, +) / Double(row.count)
      let variance = row.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(row.count)
      return row.indices.map {
        (row[$0] - mean) / (variance + 0.001).squareRoot() * Double(gains[$0]) + Double(offsets[$0])
      }
    }
  }

  @Test func aGraphComputesWhatItSays() throws {
    var generator = SeededGenerator(seed: 34)
    var bytes: [UInt8] = []
    func store(_ numbers: [Float], tag: Bool = false) -> [Float] {
      if tag { bytes += [0, 0, 0, 0] }
      for number in numbers {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += Array($0) }
      }
      return numbers
    }
    func layer(_ inputs: Int, _ outputs: Int, hasBias: Bool = true) -> (weights: [Float], bias: [Float]) {
      let weights = store(random(inputs * outputs, 1, &generator), tag: true)
      return (
        weights, hasBias ? store(random(outputs, 1, &generator)) : [Float](repeating: 0, count: outputs)
      )
    }
    let first = layer(5, 3)
    let second = layer(2, 16, hasBias: false)
    let token = store(random(16, 1, &generator))
    let (gains, offsets) = (store(random(16, 2, &generator)), store(random(16, 1, &generator)))
    let third = layer(4, 7)
    let fourth = layer(7, 4)
    let last = layer(16, 9)
    let input = (0..<5).map { _ in random(2, 2, &generator) }

    let points = input.map { $0.map(Double.init) }
    let values = Self.mixed(
      Self.transposed(Self.mixed(points, first.weights, first.bias)), second.weights, second.bias)
    let tokens = [token.map(Double.init)] + Self.transposed(values)
    let hidden = Self.mixed(
      Self.normalised(tokens, gains, offsets), third.weights, third.bias, relu: true)
    let change = Self.mixed(hidden, fourth.weights, fourth.bias)
    let sum = zip(tokens, change).map { zip($0, $1).map(+) }
    let norm = Self.normalised(sum, [Float](repeating: 1, count: 16), [Float](repeating: 0, count: 16))
    let expected = Self.mixed(Self.transposed(Array(norm.prefix(2))), last.weights, last.bias)

    for instructions in InstructionSet.allCases where instructions.isAvailable {
      let network = try MixerNetwork(
        graph: Array(Self.graph.utf8), weights: bytes, inputBlob: "in", outputs: ["out", "o"],
        instructions: instructions)
      let found = try network.values(tensor(input), input: "in", ["out", "o"])
      #expect(difference(found[1], sum.joined().map { Float($0) }) <= 1e-5, "\(instructions)")
      #expect(difference(found[0], expected.joined().map { Float(1 / (1 + exp(-$0))) }) <= 1e-5)
    }
  }
}
