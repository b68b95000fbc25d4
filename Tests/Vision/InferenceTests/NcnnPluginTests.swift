import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// The outputs of the plug-in ncnn, and the graphs that it refuses.
@Suite(.needsNcnn) struct NcnnPluginTests {
  private func problem(_ graph: [UInt8], _ weights: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try NcnnPlugin.network(graph: graph, weights: weights) }
  }

  /// A graph without weights whose result is known: negative values are multiplied by a slope.
  private static let leaky = Array(
    """
    7767517
    2 2
    Input input 0 1 data
    ReLU relu 1 1 data out 0=0.5

    """.utf8)

  @Test func aSmallNetworkComputesWhatItsGraphSays() throws {
    let network = try NcnnPlugin.network(graph: Self.leaky, weights: [])
    let tensor = try Tensor(channels: 2, height: 3, width: 5)
    tensor.values.update(repeating: 0)
    for channel in 0..<2 {
      for index in 0..<15 { tensor.channel(channel)[index] = Float(index - 7) * (channel == 0 ? 1 : -2) }
    }
    let (shape, values) = try network.run(tensor, inputBlob: "data", outputs: ["out"]) {
      (maps) throws(Status) in (maps[0].shape, Array(maps[0].values))
    }
    #expect(shape == tensor.shape)
    for (value, input) in zip(values, tensor.values) {
      #expect(value == (input < 0 ? input / 2 : input))
    }
  }

  @Test func blobsThatAreNotThereOrNoInputsAreNamed() throws {
    let network = try NcnnPlugin.network(graph: Self.leaky, weights: [])
    for (input, output, missing) in [
      ("dta", "out", "\"dta\""), ("out", "out", "\"out\""), ("data", "ot", "\"ot\""),
    ] {
      let problem = failure { () throws(Status) in
        let tensor = try Tensor(channels: 1, height: 2, width: 2)
        tensor.values.update(repeating: 0)
        try network.run(tensor, inputBlob: input, outputs: [output]) { (_) throws(Status) in }
      }
      #expect(problem?.code == .failedPrecondition)
      #expect(problem?.message.contains(missing) == true)
    }
  }

  @Test func errorOfTheBodyIsRethrown() throws {
    let network = try NcnnPlugin.network(graph: Self.leaky, weights: [])
    let problem = failure { () throws(Status) in
      let tensor = try Tensor(channels: 1, height: 2, width: 2)
      tensor.values.update(repeating: 0)
      try network.run(tensor, inputBlob: "data", outputs: ["out"]) { (_) throws(Status) in
        throw Status(.aborted, "the body's own")
      }
    }
    #expect(problem == Status(.aborted, "the body's own"))
  }

  @Test func aLayerThatIsUnknownIsRefused() {
    let graph = String(decoding: Self.leaky, as: UTF8.self).replacing("ReLU", with: "Telepathy")
    #expect(problem(Array(graph.utf8), [])?.code == .failedPrecondition)
  }

  @Test func weightsForAGraphWithoutWeightsAreRefused() {
    #expect(problem(Self.leaky, [1, 2, 3])?.message.contains("3 bytes left over") == true)
  }
}

/// The real network's files, cut and changed: always a status, never a crash.
@Suite(.needsRealModel, .needsNcnn) struct DamagedModelTests {
  private let graph: [UInt8]
  private let weights: [UInt8]

  init() throws {
    let package = try RealModel.package()
    graph = package.graph
    weights = package.weights
  }

  private func problem(_ graph: [UInt8], _ weights: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try NcnnPlugin.network(graph: graph, weights: weights) }
  }

  @Test func wholeFilesAreAccepted() {
    #expect(problem(graph, weights) == nil)
  }

  @Test func cutWeightsAreTooShort() {
    for count in [0, 1, 4, 5, 1000, weights.count / 2, weights.count - 4, weights.count - 1] {
      let problem = problem(graph, Array(weights.prefix(count)))
      #expect(problem?.code == .failedPrecondition)
      #expect(
        problem?.message.contains(".bin file is shorter") == true, "\(count): \(String(describing: problem))")
    }
  }

  @Test func tooLongWeightsAreRefused() {
    #expect(problem(graph, weights + [0])?.message.contains("1 bytes left over") == true)
    #expect(problem(graph, weights + weights)?.message.contains("\(weights.count) bytes left over") == true)
  }

  @Test func aCutGraphIsRefused() {
    // Only the end of the last line may be missing.
    for count in stride(from: 0, to: graph.count - 2, by: 97) {
      #expect(problem(Array(graph.prefix(count)), weights)?.code == .failedPrecondition, "cut to \(count)")
    }
  }

  @Test func aGraphFullOfZerosIsRefused() {
    #expect(problem([UInt8](repeating: 0, count: graph.count), weights)?.code == .failedPrecondition)
  }

  /// Most changes are refused; some, as in a layer's name, leave a network that loads.
  @Test func changedBytesOfTheGraphNeverCrash() {
    var generator = SeededGenerator(seed: 20)
    var refused = 0
    for _ in 0..<400 {
      var changed = graph
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<graph.count, using: &generator)
        changed[place] = Self.replacement(for: changed[place], &generator)
      }
      if let problem = problem(changed, weights) {
        #expect(problem.code == .failedPrecondition, "\(problem)")
        refused += 1
      }
    }
    #expect(refused > 100)
  }

  /// Half of the changes replace a digit by a digit, which gives texts that are complete and wrong.
  private static func replacement(for byte: UInt8, _ generator: inout SeededGenerator) -> UInt8 {
    if (48...57).contains(byte), Bool.random(using: &generator) {
      return UInt8.random(in: 48...57, using: &generator)
    }
    return UInt8.random(in: 0...255, using: &generator)
  }

  /// Changed weights are still numbers: they load, and their results do not matter here.
  @Test func changedBytesOfTheWeightsNeverCrash() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<100 {
      var changed = weights
      for _ in 0..<8 {
        changed[Int.random(in: 0..<weights.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      let code = problem(graph, changed)?.code
      #expect(code == nil || code == .failedPrecondition)
    }
  }
}
