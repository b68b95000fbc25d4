import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// What ncnn makes of graphs, whole and damaged.
@Suite struct NcnnNetworkTests {
  private func problem(_ graph: [UInt8], _ weights: [UInt8]) -> Status? {
    failure { () throws(Status) in _ = try NcnnNetwork(graph: graph, weights: weights) }
  }

  /// A graph without weights whose outcome is known: the negative values times a slope.
  private static let leaky = Array(
    """
    7767517
    2 2
    Input input 0 1 data
    ReLU relu 1 1 data out 0=0.5

    """.utf8)

  @Test func aSmallNetworkComputesWhatItsGraphSays() throws {
    let network = try NcnnNetwork(graph: Self.leaky, weights: [])
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
    let network = try NcnnNetwork(graph: Self.leaky, weights: [])
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

  @Test func whatTheBodyThrowsComesOut() throws {
    let network = try NcnnNetwork(graph: Self.leaky, weights: [])
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

  @Test func weightsForAGraphThatWantsNoneAreLeftOver() {
    #expect(problem(Self.leaky, [1, 2, 3])?.message.contains("3 bytes left over") == true)
  }
}
