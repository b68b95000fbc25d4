import CFusedKernels
public import FaceCore

/// Runs a network with this project's own kernels for depthwise-separable networks.
public final class FusedNetwork: Network {
  public let runtime: String
  public let isQuantised: Bool
  /// Whether rows are read as they are made: by one thread, in order.
  public let readsRows: Bool
  // Written only by `init`; the kernels allow any number of workspaces of a network at the same time.
  private nonisolated(unsafe) let network: OpaquePointer
  private let inputBlob: String
  private let outputs: [String]
  private let pool: WorkspacePool

  public static let threadRange = 1...16

  /// - Parameters:
  ///   - graph: ncnn's text form of the graph (a `.param` file).
  ///   - weights: the matching `.bin` file.
  ///   - quantised: the matching `.int8` or `.int16` file, with which the network runs in eight or 16 bits.
  ///     The files are not kept.
  ///   - inputBlob: the blob of the image, three channels.
  ///   - outputs: the blobs that `run` can return.
  ///   - threads: the number of threads that share one image. Throws `unimplemented`, with the reason, for a
  ///     network that these kernels do not support or an instruction set that this processor does not have,
  ///     and `failedPrecondition` for damaged files.
  public init(
    graph: [UInt8], weights: [UInt8], quantised: [UInt8]? = nil, inputBlob: String, outputs: [String],
    instructions: InstructionSet = .best, threads: Int = 1
  ) throws(Status) {
    guard FusedNetwork.threadRange.contains(threads) else {
      throw Status(.invalidArgument, "\(threads) threads for an image; give 1 to 16")
    }
    guard instructions.isAvailable else {
      throw Status(.unimplemented, "this processor has no \(instructions.rawValue)")
    }
    let table = try LayerTableBuilder.table(
      graph: graph, weights: weights, quantised: quantised, input: inputBlob, outputs: outputs)
    network = try table.makeNetwork(instructions)
    let format = fused_network_format(network)
    isQuantised = format != FUSED_FORMAT_F32
    readsRows = format == FUSED_FORMAT_I8 && threads == 1
    let numbers = isQuantised ? format == FUSED_FORMAT_I8 ? ", 8 bits" : ", 16 bits" : ""
    runtime = "fused kernels, \(String(cString: fused_network_instructions(network)))\(numbers)"
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
      image, width: shape.width, height: shape.height, nil, inputBlob: inputBlob, outputs: outputs, body)
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
    guard let rows = input.rows else {
      return try run(
        image, width: input.inputWidth, height: input.inputHeight, input.cancellation, inputBlob: inputBlob,
        outputs: outputs, body)
    }
    guard readsRows else {
      throw Status(.invalidArgument, "this network cannot read rows scaled while it runs; pass whole pixels")
    }
    let reader = RowReader(rows)
    image.read_row = { context, row, target in
      guard let context, let target else { return 0 }
      return Unmanaged<RowReader>.fromOpaque(context).takeUnretainedValue().read(Int(row), into: target)
        ? 1 : 0
    }
    image.pixels = rows.source.bindMemory(to: UInt8.self).baseAddress
    image.stride = rows.source.count / input.height
    image.rows = Unmanaged.passUnretained(reader).toOpaque()
    defer { extendLifetime(reader) }
    return try run(
      image, width: input.inputWidth, height: input.inputHeight, input.cancellation, reader,
      inputBlob: inputBlob, outputs: outputs, body)
  }

  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool { pool.trim(beyond: kept) }

  /// The bytes that are kept for later runs.
  package var unusedMemory: Int { pool.idleBytes }

  private func run<Result>(
    _ image: fused_image, width: Int, height: Int, _ token: CancellationToken?, _ reader: RowReader? = nil,
    inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    guard inputBlob == self.inputBlob else {
      throw Status(.failedPrecondition, "the network has no input blob \"\(inputBlob)\"; check model.json")
    }
    let indices = try self.outputs.places(of: outputs)
    let workspace = try pool.checkOut(width: width, height: height)
    defer { pool.checkIn(workspace) }
    let check = token.map(CancellationCheck.init)
    let result = withUnsafePointer(to: image) { image in
      guard let check else { return fused_workspace_run(workspace.handle, image) }
      return fused_workspace_run_while(
        workspace.handle, image, { CancellationCheck.mayContinue($0) ? 1 : 0 }, check.context)
    }
    // Also keeps the check alive during the run.
    if let ended = check?.failure ?? reader?.failure { throw ended }
    guard result == 0 else {
      throw Status(.internal, "the fused kernels cannot read an image of \(image.width)×\(image.height)")
    }
    return try body(indices.map { TensorView(fused_workspace_output(workspace.handle, $0)) })
  }
}

/// Makes the rows that a network reads, until making one fails.
private final class RowReader {
  private let rows: any PixelRows
  private(set) var failure: Status?

  init(_ rows: any PixelRows) { self.rows = rows }

  func read(_ row: Int, into target: UnsafeMutablePointer<UInt8>) -> Bool {
    do throws(Status) {
      try rows.write(row: row, into: target)
      return true
    } catch {
      failure = error
      return false
    }
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

/// The vector instructions that the fused kernels are built for.
public enum InstructionSet: String, CaseIterable, Sendable {
  /// The fastest set that this processor has.
  case best
  /// Vectors of four values, on any processor.
  case portable
  /// Differs from `portable` for 8-bit weights only.
  case sse41
  /// AVX2 with fused multiply-add.
  case avx2
  /// Differs from `avx2` for 8-bit and 16-bit weights only, where it has dot products. So do the other such sets.
  case avxVNNI = "avxvnni"
  case avx512
  case avx512VNNI = "avx512vnni"
  case neon
  case neonDotProduct = "neondotprod"

  public var isAvailable: Bool { fused_has_instructions(native) != 0 }

  var native: fused_instructions {
    switch self {
    case .best: FUSED_INSTRUCTIONS_BEST
    case .portable: FUSED_INSTRUCTIONS_PORTABLE
    case .sse41: FUSED_INSTRUCTIONS_SSE41
    case .avx2: FUSED_INSTRUCTIONS_AVX2
    case .avxVNNI: FUSED_INSTRUCTIONS_AVX_VNNI
    case .avx512: FUSED_INSTRUCTIONS_AVX512
    case .avx512VNNI: FUSED_INSTRUCTIONS_AVX512_VNNI
    case .neon: FUSED_INSTRUCTIONS_NEON
    case .neonDotProduct: FUSED_INSTRUCTIONS_NEON_DOTPROD
    }
  }
}
