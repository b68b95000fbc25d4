/// The normalisation (value − mean) × scale, by channel of a network's input.
public struct InputNormalisation: Equatable, Sendable {
  public var mean: [Float]
  public var scale: [Float]

  public init(mean: [Float], scale: [Float]) {
    self.mean = mean
    self.scale = scale
  }
}
