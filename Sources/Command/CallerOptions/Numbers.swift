public import ArgumentParser
public import FaceCore

/// Parses lists of numbers, and sizes.
public enum Numbers {
  /// The largest absolute value: larger positions are meaningless, and arithmetic with them could overflow a
  /// Float.
  private static let limit: Float = 1_000_000

  /// Parses `count` numbers separated by commas.
  public static func list(_ text: String, count: Int) -> [Float]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Float($0) }.filter { $0.magnitude <= limit }
    return parts.count == count && numbers.count == count ? numbers : nil
  }

  /// Parses a width and height, as in "640x480".
  public static func size(_ text: Substring) -> PixelSize? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ (1...Int(limit)).contains($0) }) else { return nil }
    return PixelSize(width: sides[0], height: sides[1])
  }
}

/// Width and height, as in 640x480.
public struct SizeArgument: ExpressibleByArgument, Sendable {
  public let size: PixelSize

  public init?(argument: String) {
    guard let size = Numbers.size(argument[...]) else { return nil }
    self.size = size
  }
}

/// A box with an area, as in 120,80,200,240: left, top, width, height.
public struct BoxArgument: ExpressibleByArgument, Sendable {
  public let box: Box

  public init?(argument: String) {
    guard let numbers = Numbers.list(argument, count: 4) else { return nil }
    box = Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    guard box.isValid else { return nil }
  }
}
