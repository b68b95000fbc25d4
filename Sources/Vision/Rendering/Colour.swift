import func Glibc.powf

/// A colour. Each component is 0…1, not multiplied by alpha.
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

  /// Converts from 0xRRGGBBAA.
  public init(rgba: UInt32) {
    func part(_ shift: UInt32) -> Float { Float(rgba >> shift & 255) / 255 }
    self.init(red: part(24), green: part(16), blue: part(8), alpha: part(0))
  }

  /// The colour as 0xRRGGBBAA, each component rounded to 1/255.
  public var rgba: UInt32 {
    func part(_ value: Float, _ shift: UInt32) -> UInt32 {
      UInt32((max(0, min(1, value)) * 255).rounded()) << shift
    }
    return part(red, 24) | part(green, 16) | part(blue, 8) | part(alpha, 0)
  }

  /// The colour of an id: the same in every picture, and far from those of the ids before and after it.
  ///
  /// The golden ratio spreads the hues of successive ids evenly: Knuth, "The Art of Computer Programming",
  /// volume 3, 6.4.
  public init(id: UInt64) {
    let turn = Float((id &* 0x9E37_79B9_7F4A_7C15) >> 40) / Float(1 << 24)
    // Every second id is paler, which also tells apart those whose hues look alike to some people.
    let (value, saturation): (Float, Float) = id.isMultiple(of: 2) ? (1, 0.45) : (0.92, 0.9)
    func part(_ shift: Float) -> Float {
      let place = (turn * 6 + shift).truncatingRemainder(dividingBy: 6)
      return value * (1 - saturation * max(0, min(1, min(place, 4 - place))))
    }
    self.init(red: part(5), green: part(3), blue: part(1))
  }

  /// Reads a name of CSS, as in "orange", or RRGGBB or RRGGBBAA in hexadecimal digits, perhaps after a #. Source of the
  /// names and values: CSS Color 4, 6.1.
  public init?(text: String) {
    let name = text.lowercased()
    if let colour = Colour.named[name] {
      self.init(rgba: colour << 8 | 0xFF)
      return
    }
    let digits = name.first == "#" ? name.dropFirst() : name[...]
    guard digits.utf8.count == 6 || digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit),
      let number = UInt32(digits, radix: 16)
    else { return nil }
    self.init(rgba: digits.utf8.count == 6 ? number << 8 | 0xFF : number)
  }

  /// The names that `init(text:)` takes, with 0xRRGGBB.
  public static let named: [String: UInt32] = [
    "black": 0x000000, "silver": 0xC0C0C0, "gray": 0x808080, "grey": 0x808080, "white": 0xFFFFFF,
    "maroon": 0x800000, "red": 0xFF0000, "purple": 0x800080, "fuchsia": 0xFF00FF, "magenta": 0xFF00FF,
    "green": 0x008000, "lime": 0x00FF00, "olive": 0x808000, "yellow": 0xFFFF00, "navy": 0x000080,
    "blue": 0x0000FF, "teal": 0x008080, "aqua": 0x00FFFF, "cyan": 0x00FFFF, "orange": 0xFFA500,
    "pink": 0xFFC0CB, "brown": 0xA52A2A,
  ]

  /// Relative luminance, 0…1. Source: WCAG 2.2, "relative luminance".
  var luminance: Float {
    func linear(_ part: Float) -> Float {
      part <= 0.04045 ? part / 12.92 : powf((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Black or white, whichever can be read better on this colour.
  var contrasting: Colour { luminance > 0.179 ? .black : .white }

  func withAlpha(_ alpha: Float) -> Colour {
    Colour(red: red, green: green, blue: blue, alpha: alpha)
  }

  public static let green = Colour(red: 0.20, green: 0.90, blue: 0.35)
  public static let red = Colour(red: 1.00, green: 0.19, blue: 0.19)
  public static let blue = Colour(red: 0.25, green: 0.45, blue: 1.00)
  public static let yellow = Colour(red: 1.00, green: 0.85, blue: 0.20)
  public static let cyan = Colour(red: 0.30, green: 0.85, blue: 1.00)
  public static let white = Colour(red: 1, green: 1, blue: 1)
  public static let black = Colour(red: 0, green: 0, blue: 0)
}
