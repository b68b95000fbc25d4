import CEnginePlugins
public import FaceCore

/// A network that a plug-in runs.
public final class PluginNetwork: Network {
  private let plugin: NetworkPlugin
  // Written only by `init`; any number of threads may run it.
  private nonisolated(unsafe) let network: OpaquePointer
  /// The input blobs. A plug-in need not check whether there is one of that name.
  private let inputs: Set<String>

  private let options: String

  public var runtime: String { options.isEmpty ? plugin.name : "\(plugin.name), \(options)" }

  /// Loads a network in ncnn's form.
  /// - Parameters:
  ///   - graph: the text form (a `.param` file).
  ///   - weights: the matching `.bin` file. The files are not kept.
  ///   - options: the plug-in's own.
  /// Throws `failedPrecondition` for files that do not belong together or that the plug-in does not accept,
  /// and `unimplemented` if it does not take this form.
  public convenience init(
    graph: [UInt8], weights: [UInt8], threads: Int = 1, options: String = "", plugin: NetworkPlugin
  ) throws(Status) {
    let inputs = try NcnnGraph.check(graph)
    guard plugin.takesNcnn else {
      throw Status(.unimplemented, "\(plugin.name): it does not accept networks in ncnn's format")
    }
    try self.init(
      inputs: inputs, graph: graph, weights: weights, format: FACE_PLUGIN_NCNN, threads: threads,
      options: options, plugin: plugin)
  }

  /// Loads an ONNX file.
  /// - Parameter inputs: the names of its inputs.
  /// Throws like the other initialiser.
  public convenience init(
    onnx file: [UInt8], inputs: Set<String>, threads: Int = 1, options: String = "", plugin: NetworkPlugin
  ) throws(Status) {
    guard plugin.takesONNX else {
      throw Status(.unimplemented, "\(plugin.name): it does not accept .onnx files")
    }
    try self.init(
      inputs: inputs, graph: file, weights: [], format: FACE_PLUGIN_ONNX, threads: threads, options: options,
      plugin: plugin)
  }

  private init(
    inputs: Set<String>, graph: [UInt8], weights: [UInt8], format: Int, threads: Int, options: String,
    plugin: NetworkPlugin
  ) throws(Status) {
    var loaded: OpaquePointer?
    let text = graph + [0]
    try plugin.call { error, size in
      text.withUnsafeBytes { text in
        weights.withUnsafeBytes { weights in
          options.withCString { options in
            var source = face_plugin_source(
              struct_size: MemoryLayout<face_plugin_source>.size, format: UInt32(format),
              threads: UInt32(threads), graph: text.baseAddress, graph_size: text.count - 1,
              weights: weights.isEmpty ? nil : weights.baseAddress, weights_size: weights.count,
              options: options)
            return plugin.table.pointee.load(&source, &loaded, error, size)
          }
        }
      }
    }
    guard let loaded else { throw Status(.internal, "\(plugin.name): it returned no network") }
    (self.plugin, self.inputs, self.options, network) = (plugin, inputs, options, loaded)
  }

  deinit { plugin.table.pointee.release(network) }

  public func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    guard inputs.contains(inputBlob) else {
      throw Status(.failedPrecondition, "the network has no input blob \"\(inputBlob)\"; check model.json")
    }
    let run = try Run(plugin, network, input, inputBlob, outputs)
    // Borrowed until `body` returns, so that the outputs stay.
    return try run.read(outputs, body)
  }
}

private struct Run: ~Copyable {
  private let plugin: NetworkPlugin
  private let run: OpaquePointer
  private let tensors: [face_plugin_tensor]

  init(
    _ plugin: NetworkPlugin, _ network: OpaquePointer, _ input: borrowing Tensor, _ inputBlob: String,
    _ outputs: [String]
  ) throws(Status) {
    let (shape, values) = (input.shape, input.values.baseAddress)
    let names = CStrings([inputBlob] + outputs)
    var tensors = [face_plugin_tensor](repeating: face_plugin_tensor(), count: outputs.count)
    var run: OpaquePointer?
    try plugin.call { error, size in
      names.withPointers { names in
        var input = face_plugin_tensor(
          name: names[0], channels: UInt32(shape.channels), height: UInt32(shape.height),
          width: UInt32(shape.width), reserved: 0, channel_stride: shape.channelStride, values: values)
        return plugin.table.pointee.run(
          network, &input, 1, names.baseAddress.map { $0 + 1 }, outputs.count, &tensors, &run, error, size)
      }
    }
    guard let run else { throw Status(.internal, "\(plugin.name): it returned no run") }
    (self.plugin, self.run, self.tensors) = (plugin, run, tensors)
  }

  deinit { plugin.table.pointee.finish(run) }

  /// Calls `body` with the outputs. Throws `internal` for one whose shape is none, and the error of `body`.
  func read<Result>(
    _ names: [String], _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    var views: [TensorView] = []
    for (name, tensor) in zip(names, tensors) {
      guard let view = TensorView(tensor) else {
        throw Status(
          .internal,
          "\(plugin.name): its output \"\(name)\" has \(tensor.channels) × \(tensor.height) × \(tensor.width) values, "
            + "\(tensor.channel_stride) for each channel, which is not a valid shape")
      }
      views.append(view)
    }
    return try body(views)
  }
}

extension TensorView {
  /// An output; `nil` unless it has values, and as many as its shape says.
  fileprivate init?(_ tensor: face_plugin_tensor) {
    // Far above any network's output, and no product below overflows.
    let sides = 1...UInt32(1 << 20)
    let strides = 1...(1 << 40)
    let (channels, height, width) = (tensor.channels, tensor.height, tensor.width)
    guard sides.contains(channels), sides.contains(height), sides.contains(width),
      strides.contains(tensor.channel_stride), tensor.channel_stride >= Int(height) * Int(width),
      let values = tensor.values
    else { return nil }
    let shape = TensorShape(
      channels: Int(channels), height: Int(height), width: Int(width), channelStride: tensor.channel_stride)
    self.init(shape: shape, values: UnsafeBufferPointer(start: values, count: shape.valueCount))
  }
}

/// Texts as C has them.
private struct CStrings {
  private var bytes: [CChar] = []
  private var starts: [Int] = []

  init(_ texts: [String]) {
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8CString
    }
  }

  func withPointers<Result>(
    _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      starts.map { start in bytes.baseAddress.map { $0 + start } }.withUnsafeBufferPointer(body)
    }
  }
}
