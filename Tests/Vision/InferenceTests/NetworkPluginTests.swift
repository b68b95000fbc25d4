import FaceCore
import Inference
import TestSupport
import Testing

/// Plug-ins that are right, and that are not: always a status, never a crash. They are not searched here: see
/// `PluginCommandTests`.
@Suite struct NetworkPluginTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plugin(_ fault: DummyPlugin.Fault = .none) throws -> NetworkPlugin {
    try NetworkPlugin(path: try DummyPlugin.make(in: folder, fault))
  }

  @Test func aPluginSaysItsName() throws {
    let plugin = try plugin()
    #expect(plugin.name == "dummy" && plugin.version == "0")
    #expect(plugin.path == folder.path("libfaceengine-dummy.so.1"))
  }

  @Test(arguments: [
    (DummyPlugin.Fault.noEntry, "no function face_engine_plugin"), (.otherInterface, "interface 1"),
    (.shortTable, "too short"), (.noFunction, "function of its table is missing"), (.noName, "no name"),
  ])
  func aWrongTableIsNamed(fault: DummyPlugin.Fault, words: String) throws {
    let path = try DummyPlugin.make(in: folder, fault)
    expectFailure(.failedPrecondition, words, path) { try NetworkPlugin(path: path) }
  }

  @Test func aFileThatIsNoLibraryIsNamed() throws {
    let path = try folder.write("libfaceengine-text.so.1", "no library".utf8)
    expectFailure(.failedPrecondition, path) { try NetworkPlugin(path: path) }
  }

  @Test func aMissingPluginIsToBeInstalled() throws {
    for path in [folder.path("none"), "libfaceengine-dummy.so.1", ""] {
      expectFailure(.failedPrecondition, "not installed", comment: path) { try NetworkPlugin(path: path) }
    }
    for name in ["no-such-plugin", "../dummy", String(repeating: "n", count: 1000)] {
      expectFailure("not installed", comment: "\(name)") { try NetworkPlugin.named(name) }
    }
  }

  @Test func foldersAreWhole() {
    #expect(!NetworkPlugin.folders.isEmpty)
    #expect(NetworkPlugin.folders.allSatisfy { $0.hasPrefix("/") })
  }
}

/// Networks that the dummy plug-in runs.
@Suite struct PluginNetworkTests {
  private static let graph = Array("7767517\n2 2\nInput input 0 1 data\nReLU relu 1 1 data out\n".utf8)
  private let folder: TemporaryFolder
  private let plugin: NetworkPlugin

  init() throws {
    folder = try TemporaryFolder()
    plugin = try NetworkPlugin(path: try DummyPlugin.make(in: folder))
  }

  private func network(
    weights: [UInt8] = [], threads: Int = 1, options: String = ""
  ) throws(Status) -> PluginNetwork {
    try PluginNetwork(
      graph: Self.graph, weights: weights, threads: threads, options: options, plugin: plugin)
  }

  /// What the network gives for the values 0, 1, 2 … of three channels of 2×5.
  private func run(_ network: PluginNetwork, _ outputs: [String]) throws(Status) -> [[Float]] {
    let tensor = try Tensor(channels: 3, height: 2, width: 5)
    for index in tensor.values.indices { tensor.values[index] = Float(index) }
    return try network.run(tensor, inputBlob: "data", outputs: outputs) { (maps) throws(Status) in
      maps.map { Array($0.values) }
    }
  }

  private func problem(_ outputs: [String]) throws -> Status? {
    let network = try network()
    return failure { () throws(Status) in _ = try run(network, outputs) }
  }

  @Test func valuesArriveAndReturn() throws {
    let network = try network()
    #expect(network.runtime == "dummy")
    let tensor = try Tensor(channels: 3, height: 2, width: 5)
    let shape = tensor.shape
    tensor.values.update(repeating: 1)
    #expect(
      try network.run(tensor, inputBlob: "data", outputs: ["a", "b"]) { (maps) throws(Status) in
        maps.map(\.shape)
      } == [shape, shape])
    let values = (0..<36).map(Float.init)
    #expect(try run(network, ["a", "b"]) == [values, values])
    #expect(try run(network, []) == [])
  }

  @Test func whatIsLoadedArrivesWhole() throws {
    let outputs = try run(network(weights: [7, 8, 9], threads: 4, options: "status"), ["source", "input"])
    let size = Float(MemoryLayout<Int>.size * 6 + 8)
    #expect(outputs[0] == [size, 1, 4, Float(Self.graph.count), 0, 3, 7, 6])
    let name = outputs[1].withUnsafeBytes { bytes in Array(bytes.prefix { $0 != 0 }) }
    #expect(String(decoding: name, as: UTF8.self) == "data")
  }

  @Test(arguments: [
    (8, StatusCode.resourceExhausted), (9, .failedPrecondition), (12, .unimplemented), (13, .internal),
    (1, .internal), (-5, .internal), (99, .internal),
  ])
  func failuresOfLoadingHaveACodeAndAReason(status: Int, code: StatusCode) {
    let words = status == 13 ? "does not say why" : "no network for \(status)"
    expectFailure(code, "dummy: ", words) { try network(options: "status \(status)") }
  }

  @Test func aReasonWithoutAnEndIsCut() throws {
    let problem = failure { () throws(Status) in _ = try network(options: "long") }
    let message = try #require(problem?.message)
    #expect(message.utf8.count < 600 && message.contains("xxx"))
  }

  @Test func nothingInsteadOfANetworkOrARunIsAnError() throws {
    let problem = failure { () throws(Status) in _ = try network(options: "nothing") }
    #expect(problem == Status(.internal, "dummy: it returned no network"))
    #expect(try self.problem(["no run"]) == Status(.internal, "dummy: it returned no run"))
  }

  @Test(arguments: ["no values", "no channels", "narrow stride", "endless stride", "endless sides"])
  func wrongShapesAreRefused(output: String) throws {
    let network = try network()
    expectFailure(.internal, "\"\(output)\"") { try run(network, ["a", output]) }
  }

  @Test func failuresOfARunAreReported() throws {
    #expect(try problem(["fails"]) == Status(.failedPrecondition, "dummy: no blob \"fails\""))
    let network = try network()
    expectFailure("no input blob \"out\"") {
      let tensor = try Tensor(channels: 1, height: 1, width: 1)
      try network.run(tensor, inputBlob: "out", outputs: []) { (_) throws(Status) in }
    }
  }

  @Test func eachRunAndEachNetworkIsReleasedOnce() throws {
    let first = try network()
    #expect(try run(first, ["alive"]) == [[1, 0]])
    for output in ["a", "fails", "no channels", "no run"] {
      _ = failure { () throws(Status) in _ = try run(first, [output]) }
      expectFailure(.aborted) {
        let tensor = try Tensor(channels: 1, height: 1, width: 1)
        try first.run(tensor, inputBlob: "data", outputs: ["a"]) { (_) throws(Status) in
          throw Status(.aborted, "the body's own")
        }
      }
    }
    do {
      let second = try network()
      #expect(try run(second, ["alive"]) == [[2, 0]])
    }
    #expect(try run(first, ["alive"]) == [[1, 0]])
  }
}
