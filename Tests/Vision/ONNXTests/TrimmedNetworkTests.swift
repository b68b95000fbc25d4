import FaceCore
import Inference
import ONNX
import TestSupport
import Testing

/// Networks in Tests/Fixtures/onnx, cut for an engine that runs ONNX files.
@Suite struct TrimmedNetworkTests {
  private static let families = [
    "centerface", "retinaface", "scrfd", "yolov5-face", "yunet", "yunet_any_batch",
  ]

  private func file(_ name: String) throws -> [UInt8] {
    try Fixture.bytes("Tests/Fixtures/onnx/\(name).onnx")
  }

  private func problem(_ name: String) throws -> Status? {
    let file = try file(name)
    return failure { () throws(Status) in _ = try TrimmedNetwork(file) }
  }

  /// In the order of the file's outputs.
  @Test(arguments: [
    ("centerface", "1000"), ("retinaface", "000000000"), ("scrfd", "111000000"), ("yolov5-face", "000"),
    ("yunet", "111111000000"), ("yunet_any_batch", "111111000000"), ("yunet_elu", "111111000000"),
    ("yunet_64", "111111000000"), ("yunet_half", "111111000000"), ("unknown_operator", "0"),
    ("softmax_inside", "0"),
  ])
  func outputsAreMaps(name: String, probabilities: String) throws {
    let network = try TrimmedNetwork(try file(name))
    #expect(network.outputs.map { $0.isProbability ? "1" : "0" }.joined() == probabilities)
    #expect(Set(network.outputs.map(\.name)).count == network.outputs.count)
  }

  @Test func whatTheFileSaysOfTheImageIsKnown() throws {
    #expect(try TrimmedNetwork(try file("centerface")).size == PixelSize(width: 32, height: 32))
    #expect(try TrimmedNetwork(try file("yunet_64")).size == PixelSize(width: 64, height: 64))
    #expect(try TrimmedNetwork(try file("yunet")).size == nil)
    let scrfd = try TrimmedNetwork(try file("scrfd"))
    #expect(scrfd.normalisation == (try ONNXImporter.network(file("scrfd")).normalisation))
    #expect(try TrimmedNetwork(try file("yunet")).normalisation == nil)
  }

  /// The result is an ONNX file again, which only lost what does not count.
  @Test(arguments: families) func trimmedFileBecomesTheSameGraph(name: String) throws {
    let original = try ONNXImporter.network(file(name))
    let trimmed = try TrimmedNetwork(try file(name))
    let again = try ONNXImporter.network(trimmed.file)
    let types = { (graph: [UInt8]) throws in try NcnnGraph.layers(graph).map(\.type) }
    #expect(try types(again.graph) == types(original.graph))
    #expect(again.weights == original.weights)
    // It was left to the caller.
    #expect(again.normalisation == nil)
    #expect(
      try TrimmedNetwork(trimmed.file).outputs.map(\.isProbability) == trimmed.outputs.map(\.isProbability))
  }

  @Test func fileThatIsNoDetectorIsRefused() throws {
    #expect(try problem("unit_input")?.code == .unimplemented)
    #expect(try problem("external_data")?.message.contains("in another file") == true)
    for bytes in [[], Array("no ONNX".utf8), Array(try file("yunet").prefix(5000))] {
      expectFailure(.failedPrecondition) { try TrimmedNetwork(bytes) }
    }
  }

  /// With what the importer and the fused kernels make of the same file.
  @Test(.needsOnnxruntime, arguments: families) func onnxruntimeGivesTheSameMaps(name: String) throws {
    let (file, plugin) = (try file(name), try OnnxruntimePlugin.plugin)
    let trimmed = try TrimmedNetwork(file)
    let imported = try ONNXImporter.network(file)
    let layers = try NcnnGraph.layers(imported.graph)
    let taken = Set(layers.flatMap(\.inputs))
    let outputs = layers.flatMap(\.outputs).filter { !taken.contains($0) }
    let input = try #require(layers.first { $0.type == "Input" }?.outputs.first)
    let kernels = try NetworkLoader.load(
      graph: imported.graph, weights: imported.weights, inputBlob: input, outputs: outputs, runtime: .kernels)
    let network = try PluginNetwork(onnx: trimmed.file, inputs: [trimmed.input], plugin: plugin)
    // Of another size than those files that name one.
    let ours = try maps(of: network, trimmed.input, trimmed.outputs.map(\.name))
    let theirs = try maps(of: kernels, input, outputs)
    #expect(ours.count == theirs.count)
    for map in ours { #expect(theirs.contains { isNear(map, $0) }, "\(map.shape)") }
  }

  private struct Map {
    let shape: [Int]
    let values: [Float]
  }

  private func isNear(_ one: Map, _ other: Map) -> Bool {
    one.shape == other.shape
      && zip(one.values, other.values).allSatisfy { abs($0 - $1) <= 1e-4 * max(1, abs($1)) }
  }

  private func maps(of network: any Network, _ input: String, _ outputs: [String]) throws -> [Map] {
    let image = try Tensor(channels: 3, height: 96, width: 64)
    for index in image.values.indices { image.values[index] = Float(index * 7 % 255) / 51 - 2 }
    return try network.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
      maps.map { Map(shape: [$0.shape.channels, $0.shape.height, $0.shape.width], values: $0.numbers) }
    }
  }
}
