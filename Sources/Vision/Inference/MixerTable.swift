import CFusedKernels
import FaceCore

/// The steps of a network of matrices for the fused kernels, in the kernels' own types.
struct MixerTable {
  /// The input; 0 while it is not known.
  var rows = 0
  var columns = 0
  var steps: [fused_mixer_step] = []
  var outputs: [fused_mixer_output] = []
  /// The weights of all steps, which refer to them by index.
  private(set) var values: [Float] = []

  /// - Returns: the index of the first of `numbers`.
  mutating func store(_ numbers: [Float]) -> Int32 {
    values += numbers
    return Int32(clamping: values.count - numbers.count)
  }

  func shape(ofOutput index: Int) -> TensorShape {
    let step = steps[Int(outputs[index].step)]
    let (channels, width) =
      outputs[index].transposed != 0 ? (step.columns, step.rows) : (step.rows, step.columns)
    return TensorShape(
      channels: Int(channels), height: 1, width: Int(width), channelStride: Int(width))
  }

  /// Replaces what was not known by the input's size.
  mutating func resolve() {
    for index in steps.indices {
      if steps[index].rows == 0 { steps[index].rows = Int32(rows) }
      if steps[index].columns == 0 { steps[index].columns = Int32(columns) }
    }
  }

  /// Leaves out rows that no step and no output reads, as those of all tokens but the first at the end.
  mutating func removeUnneededRows() {
    var needed = [Int32](repeating: 0, count: steps.count)
    for output in outputs { needed[Int(output.step)] = steps[Int(output.step)].rows }
    for index in steps.indices.reversed() {
      let step = steps[index]
      let isMixed = step.kind == FUSED_MIXER_ROWS || step.kind == FUSED_MIXER_STACK
      if needed[index] > 0, step.kind != FUSED_MIXER_STACK { steps[index].rows = needed[index] }
      for (input, isWhole) in [(Int(step.source), isMixed), (Int(step.added), false)] where input >= 0 {
        needed[input] = max(needed[input], isWhole ? steps[input].rows : steps[index].rows)
      }
    }
  }

  /// Creates the network. Throws `unimplemented` for a table that the kernels do not support.
  func makeNetwork(_ instructions: InstructionSet) throws(Status) -> OpaquePointer {
    var network: OpaquePointer?
    let result = steps.withUnsafeBufferPointer { steps in
      values.withUnsafeBufferPointer { values in
        outputs.withUnsafeBufferPointer { outputs in
          var table = fused_mixer_table(
            rows: Int32(rows), columns: Int32(columns), steps: steps.baseAddress, step_count: steps.count,
            values: values.baseAddress, value_count: values.count, outputs: outputs.baseAddress,
            output_count: outputs.count)
          return fused_mixer_create(instructions.native, &table, &network)
        }
      }
    }
    return try network.checkCreated(result, of: "matrices")
  }
}
