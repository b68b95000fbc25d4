import CFusedKernels
public import FaceCore

/// A network run by our own kernels for depthwise-separable networks.
public final class FusedNetwork: Network {
  public let engine: String
  // Written only by `init`; the kernels allow any number of workspaces on a network at once.
  private nonisolated(unsafe) let network: OpaquePointer
  private let inputBlob: String
  private let outputs: [String]
  private let pool: WorkspacePool

  public static let threadRange = 1...16

  /// - Parameters:
  ///   - graph: ncnn's text form of the graph (a `.param` file).
  ///   - weights: the matching `.bin` file. Neither is kept.
  ///   - inputBlob: the blob that is the image, three channels.
  ///   - outputs: the blobs that `run` will be asked for.
  ///   - threads: that share one image.
  /// Throws `unimplemented`, saying why, for a network these kernels do not know or an instruction set this processor
  /// does not have, and `failedPrecondition` for damaged files.
  public init(
    graph: [UInt8], weights: [UInt8], inputBlob: String, outputs: [String],
    instructions: InstructionSet = .best, threads: Int = 1
  ) throws(Status) {
    guard FusedNetwork.threadRange.contains(threads) else {
      throw Status(.invalidArgument, "\(threads) threads for an image; give 1 to 16")
    }
    guard instructions.isAvailable else {
      throw Status(.unimplemented, "this processor has no \(instructions.rawValue)")
    }
    let plan = try FusedPlanner.plan(graph: graph, weights: weights, input: inputBlob, outputs: outputs)
    network = try plan.makeNetwork(instructions)
    engine = "fused kernels, \(String(cString: fused_network_instructions(network)))"
    self.inputBlob = inputBlob
    self.outputs = outputs
    pool = WorkspacePool(network: network, threads: threads)
  }

  deinit {
    pool.removeAll()
    fused_network_destroy(network)
  }

  public func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    let shape = input.shape
    guard shape.channels == 3 else {
      throw Status(.invalidArgument, "the network takes three channels and was given \(shape.channels)")
    }
    var image = fused_image()
    image.width = Int32(clamping: shape.width)
    image.height = Int32(clamping: shape.height)
    image.planes = (
      UnsafePointer(input.channel(0).baseAddress), UnsafePointer(input.channel(1).baseAddress),
      UnsafePointer(input.channel(2).baseAddress)
    )
    image.plane_stride = shape.width
    return try run(
      image, width: shape.width, height: shape.height, inputBlob: inputBlob, outputs: outputs, body)
  }

  public func run<Result>(
    _ input: PixelInput, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    var image = fused_image()
    image.width = Int32(clamping: input.width)
    image.height = Int32(clamping: input.height)
    image.pixels = input.pixels.baseAddress
    image.stride = input.stride
    image.bytes_per_pixel = Int32(PixelInput.bytesPerPixel)
    image.reversed = input.isRedFirst ? 1 : 0
    image.mean = (input.mean.x, input.mean.y, input.mean.z)
    image.scale = (input.scale.x, input.scale.y, input.scale.z)
    return try run(
      image, width: input.inputWidth, height: input.inputHeight, inputBlob: inputBlob, outputs: outputs, body)
  }

  private func run<Result>(
    _ image: fused_image, width: Int, height: Int, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    guard inputBlob == self.inputBlob else {
      throw Status(.failedPrecondition, "the network has no input blob \"\(inputBlob)\"; check model.json")
    }
    var indices: [Int] = []
    indices.reserveCapacity(outputs.count)
    for name in outputs {
      guard let index = self.outputs.firstIndex(of: name) else {
        throw Status(
          .failedPrecondition, "the network gave no output blob \"\(name)\"; check model.json")
      }
      indices.append(index)
    }
    let workspace = try pool.take(width: width, height: height)
    defer { pool.give(workspace) }
    let result = withUnsafePointer(to: image) { fused_workspace_run(workspace.handle, $0) }
    guard result == 0 else {
      throw Status(.internal, "the fused kernels did not take an image of \(image.width)×\(image.height)")
    }
    return try body(indices.map { TensorView(fused_workspace_output(workspace.handle, $0)) })
  }
}

extension TensorView {
  fileprivate init(_ map: fused_map) {
    let shape = TensorShape(
      channels: Int(map.channels), height: Int(map.height), width: Int(map.width),
      channelStride: map.channel_stride)
    self.init(shape: shape, values: UnsafeBufferPointer(start: map.values, count: shape.valueCount))
  }
}

extension FusedPlan {
  /// Throws `unimplemented` for a table that the kernels do not take.
  fileprivate func makeNetwork(_ instructions: InstructionSet) throws(Status) -> OpaquePointer {
    var network: OpaquePointer?
    let outputs = outputs.map {
      fused_output(
        step: Int32($0.step), first_channel: Int32($0.firstChannel), channels: Int32($0.channels),
        sigmoid: $0.hasSigmoid ? 1 : 0)
    }
    let result = values.withUnsafeBufferPointer { values in
      let steps = steps.map { $0.native(values) }
      return fused_network_create(
        instructions.native, steps, steps.count, outputs, outputs.count, &network)
    }
    guard result == 0, let network else {
      throw Status(.unimplemented, "the fused kernels do not take its layers as they follow each other")
    }
    return network
  }
}

extension FusedPlan.Step {
  fileprivate func native(_ values: UnsafeBufferPointer<Float>) -> fused_step {
    func pointer(_ range: Range<Int>?) -> UnsafePointer<Float>? {
      range.flatMap { range in values.baseAddress.map { $0 + range.lowerBound } }
    }
    return fused_step(
      kind: kind.native, activation: activation.native, source: Int32(source ?? -1),
      source_pooled: isSourcePooled ? 1 : 0, kernel: Int32(kernel), stride: Int32(stride),
      padding: Int32(padding), whole: isWhole ? 1 : 0, added: Int32(added ?? -1),
      added_pooled: isAddedPooled ? 1 : 0, added_last: isAddedLast ? 1 : 0, in_channels: Int32(inChannels),
      out_channels: Int32(outChannels), weights: pointer(weights), bias: pointer(bias),
      slopes: pointer(slopes))
  }
}

extension FusedPlan.Step.Kind {
  fileprivate var native: fused_step_kind {
    switch self {
    case .convolution: FUSED_STEP_CONVOLUTION
    case .depthwise: FUSED_STEP_DEPTHWISE
    case .transposed: FUSED_STEP_TRANSPOSED
    case .sum: FUSED_STEP_SUM
    }
  }
}

extension FusedPlan.Step.Activation {
  fileprivate var native: fused_activation {
    switch self {
    case .none: FUSED_ACTIVATION_NONE
    case .relu: FUSED_ACTIVATION_RELU
    case .prelu: FUSED_ACTIVATION_PRELU
    }
  }
}
