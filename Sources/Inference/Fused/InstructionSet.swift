import CFusedKernels

/// The vector instructions that the fused kernels are built for.
public enum InstructionSet: String, CaseIterable, Sendable {
  /// The fastest that this processor has.
  case best
  /// Vectors of four, on any processor.
  case portable
  /// With fused multiply-add.
  case avx2
  case avx512
  case neon

  /// Whether this processor has it.
  public var isAvailable: Bool { fused_has_instructions(native) != 0 }

  var native: fused_instructions {
    switch self {
    case .best: FUSED_INSTRUCTIONS_BEST
    case .portable: FUSED_INSTRUCTIONS_PORTABLE
    case .avx2: FUSED_INSTRUCTIONS_AVX2
    case .avx512: FUSED_INSTRUCTIONS_AVX512
    case .neon: FUSED_INSTRUCTIONS_NEON
    }
  }
}
