import CNCNN
public import FaceCore

/// A network run by ncnn, one thread per call.
public final class NcnnNetwork: Network {
  public let engine = "ncnn"
  // Written only by `init`; ncnn allows any number of extractors of a loaded net at the same time.
  private nonisolated(unsafe) let net: ncnn_net_t
  /// The input blobs. ncnn accepts any blob as one, and reads past the end of data that does not fit.
  private let inputs: Set<String>

  /// - Parameters:
  ///   - graph: ncnn's text form of the graph (a `.param` file).
  ///   - weights: the matching `.bin` file. The files are not kept. Throws `failedPrecondition` when ncnn
  ///     does not accept them.
  public init(graph: [UInt8], weights: [UInt8]) throws(Status) {
    guard let options = ncnn_option_create(), let net = ncnn_net_create() else {
      throw Status(.resourceExhausted, "no memory to load the network; try again when some is free")
    }
    defer { ncnn_option_destroy(options) }
    ncnn_option_set_num_threads(options, 1)
    ncnn_option_set_use_fp16_packed(options, 0)
    ncnn_option_set_use_fp16_storage(options, 0)
    ncnn_option_set_use_fp16_arithmetic(options, 0)
    ncnn_option_set_use_bf16_packed(options, 0)
    ncnn_option_set_use_bf16_storage(options, 0)
    ncnn_net_set_option(net, options)
    do {
      let inputs = try NcnnGraph.load(graph, into: net)
      try WeightReader.load(weights, into: net)
      self.inputs = inputs
      self.net = net
    } catch {
      ncnn_net_destroy(net)
      throw error
    }
  }

  deinit { ncnn_net_destroy(net) }

  public func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    guard inputs.contains(inputBlob) else {
      throw Status(.failedPrecondition, "the network has no input blob \"\(inputBlob)\"; check model.json")
    }
    let extractor = try Extractor(net)
    let mat = try Mat(copying: input)
    try extractor.input(inputBlob, mat)
    var extracted = Mats()
    defer { extracted.destroy() }
    for name in outputs { extracted.append(try extractor.extract(name)) }
    return try body(extracted.views)
  }
}

/// One run of a network.
private struct Extractor: ~Copyable {
  private let handle: ncnn_extractor_t

  init(_ net: ncnn_net_t) throws(Status) {
    guard let handle = ncnn_extractor_create(net) else { throw outOfMemory }
    self.handle = handle
  }

  deinit { ncnn_extractor_destroy(handle) }

  func input(_ name: String, _ mat: borrowing Mat) throws(Status) {
    guard ncnn_extractor_input(handle, name, mat.handle) == 0 else {
      throw Status(
        .failedPrecondition, "the network did not take its input blob \"\(name)\"; check model.json")
    }
  }

  func extract(_ name: String) throws(Status) -> ncnn_mat_t {
    var extracted: ncnn_mat_t?
    let code = ncnn_extractor_extract(handle, name, &extracted)
    guard code == 0, let mat = extracted else {
      // ncnn creates an empty matrix even after a failure.
      ncnn_mat_destroy(extracted)
      throw Status(
        code == -100 ? .resourceExhausted : .failedPrecondition,
        code == -100
          ? "no memory to run the network; use a smaller image or max side"
          : "the network gave no output blob \"\(name)\" (ncnn code \(code)); check model.json")
    }
    return mat
  }
}

/// An ncnn matrix with a tensor's values.
private struct Mat: ~Copyable {
  let handle: ncnn_mat_t

  /// Copies the values, although ncnn has matrices over external memory: before an in-place layer it reads
  /// the reference count without checking whether there is one, and such a matrix has none.
  init(copying tensor: borrowing Tensor) throws(Status) {
    let shape = tensor.shape
    guard
      let borrowed = ncnn_mat_create_external_3d(
        Int32(shape.width), Int32(shape.height), Int32(shape.channels), tensor.values.baseAddress, nil)
    else { throw outOfMemory }
    defer { ncnn_mat_destroy(borrowed) }
    guard let handle = ncnn_mat_clone(borrowed, nil) else { throw outOfMemory }
    guard ncnn_mat_get_data(handle) != nil else {
      ncnn_mat_destroy(handle)
      throw outOfMemory
    }
    self.handle = handle
  }

  deinit { ncnn_mat_destroy(handle) }
}

/// The matrices that a run returned.
private struct Mats {
  private var handles: [ncnn_mat_t] = []

  mutating func append(_ handle: ncnn_mat_t) { handles.append(handle) }

  func destroy() { handles.forEach(ncnn_mat_destroy) }

  var views: [TensorView] {
    handles.map { mat in
      // ncnn names the axes of a 2-D blob w, h and of a 3-D one w, h, c; missing ones are 1.
      let shape = TensorShape(
        channels: Int(ncnn_mat_get_c(mat)), height: Int(ncnn_mat_get_h(mat)), width: Int(ncnn_mat_get_w(mat)),
        channelStride: Int(ncnn_mat_get_cstep(mat)))
      let start = ncnn_mat_get_data(mat)?.assumingMemoryBound(to: Float.self)
      return TensorView(
        shape: shape, values: UnsafeBufferPointer(start: start, count: start == nil ? 0 : shape.valueCount))
    }
  }
}

private var outOfMemory: Status {
  Status(.resourceExhausted, "no memory to run the network; try again when some is free")
}
