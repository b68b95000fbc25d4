import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// The outputs of the plug-in ncnn, and files that it refuses: always a status, never a crash.
@Suite(.needsRealModel, .needsNcnn) struct NcnnPluginTests {
  private let graph: [UInt8]
  private let weights: [UInt8]

  init() throws {
    let package = try RealModel.package()
    (graph, weights) = (package.graph, package.weights)
  }

  private func problem(_ graph: [UInt8], _ weights: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try NcnnPlugin.network(graph: graph, weights: weights) }
  }

  /// A graph without weights whose result is known: negative values are multiplied by a slope.
  private static let leaky = Array("7767517\n2 2\nInput input 0 1 data\nReLU relu 1 1 data out 0=0.5\n".utf8)

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
    #expect(values == tensor.values.map { $0 < 0 ? $0 / 2 : $0 })
  }

  @Test func blobsThatAreNotThereOrNoInputsAreNamed() throws {
    let network = try NcnnPlugin.network(graph: Self.leaky, weights: [])
    for (input, output, missing) in [("dta", "out", "dta"), ("out", "out", "out"), ("data", "ot", "ot")] {
      expectFailure(.failedPrecondition, "\"\(missing)\"") {
        try network.values(channels: 1, height: 2, width: 2, input: input, [output])
      }
    }
  }

  @Test func weightsMustBeThoseOfTheGraph() {
    #expect(problem(graph, weights) == nil)
    for count in [0, 1, 4, 5, 1000, weights.count / 2, weights.count - 4, weights.count - 1] {
      expectFailure(.failedPrecondition, ".bin file is shorter", comment: "\(count)") {
        try NcnnPlugin.network(graph: graph, weights: Array(weights.prefix(count)))
      }
    }
    for (graph, weights, more) in [
      (graph, weights + [0], 1), (graph, weights + weights, weights.count), (Self.leaky, [1, 2, 3], 3),
    ] {
      expectFailure("\(more) bytes left over") { try NcnnPlugin.network(graph: graph, weights: weights) }
    }
  }

  @Test func aDamagedGraphIsRefused() {
    let telepathy = String(decoding: Self.leaky, as: UTF8.self).replacing("ReLU", with: "Telepathy")
    #expect(problem(Array(telepathy.utf8), [])?.code == .failedPrecondition)
    #expect(problem([UInt8](repeating: 0, count: graph.count), weights)?.code == .failedPrecondition)
    // Only the end of the last line may be missing.
    for count in stride(from: 0, to: graph.count - 2, by: 97) {
      #expect(problem(Array(graph.prefix(count)), weights)?.code == .failedPrecondition, "cut to \(count)")
    }
  }

  /// Most changes of a graph are refused; some, as in a layer's name, leave a network that loads.
  @Test func changedBytesNeverCrash() {
    var generator = SeededGenerator(seed: 20)
    var refused = 0
    for round in 0..<400 {
      let changed = round % 2 == 0 ? generator.changed(graph) : generator.changed(digitsOf: graph)
      guard let problem = problem(changed, weights) else { continue }
      #expect(problem.code == .failedPrecondition, "\(problem)")
      refused += 1
    }
    #expect(refused > 100)
    // Changed weights are still numbers: they load, and their results do not matter here.
    for _ in 0..<100 {
      let code = problem(graph, generator.changed(weights, most: 8))?.code
      #expect(code == nil || code == .failedPrecondition)
    }
  }
}
