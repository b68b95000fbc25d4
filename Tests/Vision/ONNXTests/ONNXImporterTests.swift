import FaceCore
import Inference
import ONNX
import TestSupport
import Testing

/// Networks in Tests/Fixtures/onnx, which `make_onnx.py` makes.
@Suite struct ONNXImporterTests {
  private static let side = 16

  private func file(_ name: String) throws -> [UInt8] { try Fixture.bytes("Tests/Fixtures/onnx/\(name)") }

  /// The graph's input and its final blobs.
  private func ends(_ graph: [UInt8]) throws -> (input: String, outputs: [String]) {
    let layers = try NcnnGraph.layers(graph)
    let taken = Set(layers.flatMap(\.inputs))
    let input = try #require(layers.first { $0.type == "Input" }?.outputs.first)
    return (input, layers.flatMap(\.outputs).filter { !taken.contains($0) })
  }

  private func load(_ network: ImportedNetwork) throws -> (
    network: any Network, input: String, outputs: [String]
  ) {
    let (input, outputs) = try ends(network.graph)
    let loaded = try NetworkLoader.load(
      graph: network.graph, weights: network.weights, inputBlob: input, outputs: outputs)
    return (loaded, input, outputs)
  }

  /// onnxruntime's results are in the file beside the network.
  @Test(
    .needsNcnn,
    arguments: [
      "activations", "arithmetic", "convolutions", "half_floats", "layouts", "listed_floats", "paddings",
      "pools", "sizes",
      "transposed", "upsample",
    ])
  func outputsAgreeWithOnnxruntime(name: String) throws {
    let (network, input, outputs) = try load(ONNXImporter.network(file("\(name).onnx")))
    let image = try Tensor(channels: 3, height: Self.side, width: Self.side)
    for index in image.values.indices { image.values[index] = Float(index * 7 % 255) / 51 - 2 }
    let ours = try network.values(image, input: input, outputs).flatMap(\.self)
    let expected = try file("\(name).expected").withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)))
      }
    }
    #expect(ours.count == expected.count)
    for (one, other) in zip(ours, expected) where !(abs(one - other) <= 1e-5 * max(1, abs(other))) {
      Issue.record("\(one) instead of \(other)")
      return
    }
  }

  @Test(arguments: ["centerface", "retinaface", "scrfd", "yolov5-face", "yunet", "yunet_any_batch"])
  func headsBecomeConvolutionsThatTheFusedKernelsRun(name: String) throws {
    let (network, _, outputs) = try load(ONNXImporter.network(file("\(name).onnx")))
    #expect(network.runtime.hasPrefix("fused kernels"))
    #expect(
      outputs.count
        == [
          "centerface": 4, "retinaface": 9, "scrfd": 9, "yolov5-face": 3, "yunet": 12, "yunet_any_batch": 12,
        ][name])
  }

  @Test func normalisationInsideTheNetworkIsReported() throws {
    let normalisation = try ONNXImporter.network(file("scrfd.onnx")).normalisation
    #expect(
      normalisation
        == InputNormalisation(mean: [120, 110, 100], scale: Array(repeating: 1 / 64, count: 3)))
    #expect(try ONNXImporter.network(file("yunet.onnx")).normalisation == nil)
  }

  @Test(arguments: [
    ("unknown_operator", StatusCode.unimplemented, "GridSample (node \"GridSample_1\")"),
    ("softmax_inside", .unimplemented, "Softmax (node \"Softmax_1\")"),
    ("unit_input", .unimplemented, "0.0…65025.0"), ("external_data", .failedPrecondition, "in another file"),
  ])
  func fileThatCannotBeRunIsRefusedWithItsReason(name: String, code: StatusCode, words: String) throws {
    let file = try file("\(name).onnx")
    expectFailure(code, words) { try ONNXImporter.network(file) }
  }

  @Test func fileThatIsNotONNXIsRefused() throws {
    let whole = try file("yunet.onnx")
    for bytes in [
      [], Array("7767517\n".utf8), [0], [0xff], [8, 1], Array(whole.dropLast(1)), Array(whole.prefix(99)),
    ] {
      expectFailure(.failedPrecondition) { try ONNXImporter.network(bytes) }
    }
  }
}
