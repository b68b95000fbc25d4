import CFusedKernels
import FaceCore

/// Translates an ncnn graph of small matrices, such as an MLP-Mixer's, into steps for the fused kernels.
///
/// A blob of c channels, each a row of w values, is a matrix. Transposing one (`Permute`) costs nothing: a 1×1
/// convolution mixes the rows of its matrix, and that of a transposed matrix mixes the columns of the one that
/// is stored. Anything that is not listed here is `unimplemented`.
struct MixerTableBuilder {
  /// The content of a blob, in terms of the table's steps.
  private struct Matrix {
    /// -1: the network's input.
    var step: Int
    var isTransposed = false
    /// Only the first rows of the step's matrix, if not `nil`.
    var firstRows: Int?
    /// Several layers read it, so that its step cannot change any more.
    var isShared = false
    /// Its sigmoid, only for outputs.
    var hasSigmoid = false
  }

  private enum Value {
    case matrix(Matrix)
    /// [channels][width]
    case constant([Float], channels: Int, width: Int)
  }

  private var table = MixerTable()
  private var values: [String: Value] = [:]
  private var weights: WeightCursor

  /// - Parameters:
  ///   - graph: ncnn's `.param` file; `weights`: its `.bin` file.
  ///   - input: the blob of the input.
  ///   - outputs: the requested blobs, in the order of the table's outputs. Throws `unimplemented`, naming
  ///     the layer, for layers that the fused kernels do not support, and `failedPrecondition` for damaged
  ///     files.
  static func table(
    graph: [UInt8], weights: [UInt8], input: String, outputs: [String]
  ) throws(Status) -> MixerTable {
    let layers = try NcnnGraph.layers(graph)
    var builder = MixerTableBuilder(weights: WeightCursor(weights))
    for layer in layers { try builder.add(layer, input: input) }
    try builder.weights.checkEnd()
    try builder.finish(outputs)
    return builder.table
  }

  private mutating func add(_ layer: NcnnLayer, input: String) throws(Status) {
    let inputs = layer.inputs.compactMap { values[$0] }
    guard inputs.count == layer.inputs.count, let output = layer.outputs.first,
      layer.outputs.count == 1 || layer.type == "Split"
    else { throw layer.unknown }
    switch (layer.type, inputs.first, inputs.dropFirst().first) {
    case ("Input", nil, nil) where output == input:
      values[output] = .matrix(Matrix(step: -1))
    case ("MemoryData", nil, nil):
      values[output] = try constant(layer)
    case ("Split", .matrix(var matrix)?, nil):
      matrix.isShared = true
      for output in layer.outputs { values[output] = .matrix(matrix) }
    case ("Permute", .matrix(var matrix)?, nil) where layer.integer(0, default: 0) == 5:
      matrix.isTransposed.toggle()
      values[output] = .matrix(matrix)
    case ("Crop", .matrix(let matrix)?, nil):
      values[output] = .matrix(try cropped(matrix, layer))
    case ("Convolution", .matrix(let matrix)?, nil):
      values[output] = .matrix(try multiplied(matrix, layer))
    case ("LayerNorm", .matrix(let matrix)?, nil):
      values[output] = .matrix(try normalised(matrix, layer))
    case ("Concat", .constant(let constant, let channels, let width)?, .matrix(let matrix)?)
    where inputs.count == 2:
      values[output] = .matrix(try stacked(constant, channels, width, on: matrix, layer))
    case ("BinaryOp", .matrix(let one)?, .matrix(let other)?) where inputs.count == 2:
      values[output] = .matrix(try sum(one, other, layer))
    default:
      throw layer.unknown
    }
  }

  /// The rows of the stored matrix; 0 while they are those of the input and not known.
  private func rows(_ matrix: Matrix) -> Int {
    if let rows = matrix.firstRows { return rows }
    let rows = matrix.step < 0 ? 0 : Int(table.steps[matrix.step].rows)
    return rows == 0 ? table.rows : rows
  }

  private func columns(_ matrix: Matrix) -> Int {
    let columns = matrix.step < 0 ? 0 : Int(table.steps[matrix.step].columns)
    return columns == 0 ? table.columns : columns
  }

  /// Throws unless the matrix has, or as the input's can have, so many rows or columns.
  private mutating func require(
    rows: Int? = nil, columns: Int? = nil, of matrix: Matrix, _ layer: NcnnLayer
  ) throws(Status) {
    let sides = 1...Int(FUSED_MIXER_MAX_SIDE)
    guard !matrix.hasSigmoid, sides ~= rows ?? 1, sides ~= columns ?? 1 else { throw layer.unknown }
    if let rows, self.rows(matrix) == 0 { table.rows = rows }
    if let columns, self.columns(matrix) == 0 { table.columns = columns }
    guard self.rows(matrix) == rows ?? self.rows(matrix),
      self.columns(matrix) == columns ?? self.columns(matrix)
    else { throw layer.unknown }
  }

  private mutating func multiplied(_ source: Matrix, _ layer: NcnnLayer) throws(Status) -> Matrix {
    let sides = 1...Int(FUSED_MIXER_MAX_SIDE)
    guard let channels = layer.integer(0, default: 0), sides ~= channels,
      let count = layer.integer(6, default: 0), sides ~= count / channels,
      let convolution = NcnnConvolution(layer, inChannels: count / channels),
      convolution.layer.kernel == 1, convolution.layer.stride == 1, convolution.layer.padding == 0
    else { throw layer.unknown }
    var step = fused_mixer_step(source.isTransposed ? FUSED_MIXER_COLUMNS : FUSED_MIXER_ROWS, of: source.step)
    if source.isTransposed {
      try require(columns: count / channels, of: source, layer)
      step.rows = Int32(rows(source))
      step.columns = Int32(channels)
    } else {
      guard source.firstRows == nil else { throw layer.unknown }
      try require(rows: count / channels, of: source, layer)
      step.rows = Int32(channels)
      step.columns = Int32(columns(source))
    }
    step.relu = convolution.layer.activation == FUSED_ACTIVATION_RELU ? 1 : 0
    step.weights = table.store(try weights.tagged(count))
    step.bias = table.store(
      convolution.hasBias ? try weights.floats(channels) : [Float](repeating: 0, count: channels))
    var result = append(step)
    result.isTransposed = source.isTransposed
    result.hasSigmoid = convolution.hasSigmoid
    return result
  }

  private mutating func normalised(_ source: Matrix, _ layer: NcnnLayer) throws(Status) -> Matrix {
    guard !source.isTransposed, let count = layer.integer(0, default: 0),
      let isAffine = layer.integer(2, default: 1), (0...1).contains(isAffine)
    else { throw layer.unknown }
    try require(columns: count, of: source, layer)
    var step = fused_mixer_step(FUSED_MIXER_NORMALISE, of: source.step)
    step.rows = Int32(rows(source))
    step.columns = Int32(count)
    step.epsilon = Float(layer.number(1, or: 0.001))
    step.weights = table.store(
      isAffine == 1 ? try weights.floats(count) : [Float](repeating: 1, count: count))
    step.bias = table.store(
      isAffine == 1 ? try weights.floats(count) : [Float](repeating: 0, count: count))
    return append(step)
  }

  private mutating func constant(_ layer: NcnnLayer) throws(Status) -> Value {
    let sides = 1...Int(FUSED_MIXER_MAX_SIDE)
    guard layer.parameters.keys.allSatisfy({ (0...2).contains($0) }),
      let width = layer.integer(0, default: 0), sides ~= width, layer.integer(1, default: 0) == 1,
      let channels = layer.integer(2, default: 0), sides ~= channels
    else { throw layer.unknown }
    return .constant(try weights.floats(channels * width), channels: channels, width: width)
  }

  /// The constant before the matrix, along the width of both.
  private mutating func stacked(
    _ constant: [Float], _ channels: Int, _ width: Int, on source: Matrix, _ layer: NcnnLayer
  ) throws(Status) -> Matrix {
    guard layer.integer(0, default: 0) == 2, source.isTransposed, rows(source) > 0 else {
      throw layer.unknown
    }
    try require(rows: rows(source), columns: channels, of: source, layer)
    guard source.firstRows == nil else { throw layer.unknown }
    var step = fused_mixer_step(FUSED_MIXER_STACK, of: source.step)
    step.rows = Int32(width + rows(source))
    step.columns = Int32(channels)
    step.weights = table.store(
      (0..<width).flatMap { row in (0..<channels).map { constant[$0 * width + row] } })
    var result = append(step)
    result.isTransposed = true
    return result
  }

  private func cropped(_ source: Matrix, _ layer: NcnnLayer) throws(Status) -> Matrix {
    let (starts, ends, axes) = (-23309, -23310, -23311)
    let end = layer.parameters[ends].flatMap { $0.hasPrefix("1,") ? Int($0.dropFirst(2)) : nil }
    guard layer.parameters.count == 3, layer.parameters[starts] == "1,0", layer.parameters[axes] == "1,0",
      let end, (1...max(1, rows(source))).contains(end), !source.isTransposed, !source.hasSigmoid
    else { throw layer.unknown }
    var result = source
    result.firstRows = end
    return result
  }

  /// Makes a sum part of the later of two steps.
  private mutating func sum(_ one: Matrix, _ other: Matrix, _ layer: NcnnLayer) throws(Status) -> Matrix {
    let (target, added) = one.step > other.step ? (one, other) : (other, one)
    guard layer.integer(0, default: 0) == 0, layer.integer(1, default: 0) == 0, !target.isShared,
      !target.hasSigmoid, !added.hasSigmoid, target.isTransposed == added.isTransposed,
      target.firstRows == nil, added.step >= 0, added.step < target.step,
      rows(target) == rows(added), columns(target) == columns(added),
      case let step = table.steps[target.step], step.added < 0, step.relu == 0,
      step.kind == FUSED_MIXER_ROWS || step.kind == FUSED_MIXER_COLUMNS
    else { throw layer.unknown }
    table.steps[target.step].added = Int32(added.step)
    return target
  }

  private mutating func append(_ step: fused_mixer_step) -> Matrix {
    table.steps.append(step)
    return Matrix(step: table.steps.count - 1)
  }

  private mutating func finish(_ names: [String]) throws(Status) {
    for name in names {
      guard case .matrix(let matrix)? = values[name], matrix.step >= 0, matrix.firstRows == nil else {
        throw NcnnLayer.unknownOutput(name)
      }
      table.outputs.append(
        fused_mixer_output(
          step: Int32(matrix.step), transposed: matrix.isTransposed ? 1 : 0,
          sigmoid: matrix.hasSigmoid ? 1 : 0))
    }
    table.resolve()
    table.removeUnneededRows()
  }
}

extension fused_mixer_step {
  fileprivate init(_ kind: fused_mixer_kind, of source: Int) {
    self.init()
    self.kind = kind
    self.source = Int32(source)
    added = -1
  }
}
