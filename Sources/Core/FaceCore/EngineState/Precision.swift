/// The precision of the weights with which a network runs.
public enum Precision: String, CaseIterable, Sendable {
  /// 8-bit integers where the model has them, else 32-bit floats.
  case best
  case float
}
