/// The numbers that a network is run with.
public enum Precision: String, CaseIterable, Sendable {
  /// Eight bits where the model has them, else 32-bit floats.
  case best
  case float
}
