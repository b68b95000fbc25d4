/// Each part 0…1; not multiplied by alpha.
public struct Colour: Equatable, Sendable {
  public var red: Float
  public var green: Float
  public var blue: Float
  public var alpha: Float

  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// From 0xRRGGBBAA.
  public init(rgba: UInt32) {
    func part(_ shift: UInt32) -> Float { Float(rgba >> shift & 255) / 255 }
    self.init(red: part(24), green: part(16), blue: part(8), alpha: part(0))
  }

  /// As 0xRRGGBBAA, each part to the nearest 255th.
  public var rgba: UInt32 {
    func part(_ value: Float, _ shift: UInt32) -> UInt32 {
      UInt32((max(0, min(1, value)) * 255).rounded()) << shift
    }
    return part(red, 24) | part(green, 16) | part(blue, 8) | part(alpha, 0)
  }

  public static let green = Colour(red: 0.20, green: 0.90, blue: 0.35)
  public static let yellow = Colour(red: 1.00, green: 0.85, blue: 0.20)
  public static let cyan = Colour(red: 0.30, green: 0.85, blue: 1.00)
  public static let white = Colour(red: 1, green: 1, blue: 1)
  public static let black = Colour(red: 0, green: 0, blue: 0)
}
