/// A network's input: its blob, the order of its colours and their normalisation.
public struct InputSpecification: Equatable, Sendable {
  public enum ColourOrder: String, Sendable { case bgr, rgb }

  public var blob: String
  public var colour: ColourOrder
  /// The network's input is (value − mean) × scale of each channel's 0…255, in `colour`'s order.
  public var mean: [Float]
  public var scale: [Float]
  /// The longest side that the network takes; `nil` for any.
  public var maxSide: Int?

  public init(blob: String = "", colour: ColourOrder, mean: [Float], scale: [Float]) {
    self.blob = blob
    self.colour = colour
    self.mean = mean
    self.scale = scale
  }

  /// The input of a network that is not chosen yet, with the same numbers for each channel.
  init(colour: ColourOrder, mean: Float, scale: Float) {
    self.init(
      colour: colour, mean: Array(repeating: mean, count: 3), scale: Array(repeating: scale, count: 3))
  }

  /// Returns `side`, 0 for any, limited to what the network takes.
  func limited(_ side: Int) -> Int {
    guard let maxSide else { return side }
    return side == 0 ? maxSide : min(side, maxSide)
  }

  /// The colour that becomes zeros in the network's input: the mean of each channel, as a pixel of a bitmap.
  var background: UInt32 {
    func byte(_ index: Int) -> UInt32 { UInt32(min(max(mean[index].rounded(), 0), 255)) }
    let (blue, red) = colour == .bgr ? (byte(0), byte(2)) : (byte(2), byte(0))
    return UInt32(littleEndian: blue | byte(1) << 8 | red << 16)
  }
}
