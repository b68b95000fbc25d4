import ArgumentParser
import FaceCore

/// Numbers on the command line.
enum Numbers {
  /// Further from 0 no position means anything, and arithmetic on them must not leave what a Float holds.
  private static let limit: Float = 1_000_000

  /// `count` numbers with commas between them.
  static func list(_ text: String, count: Int) -> [Float]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Float($0) }.filter { $0.magnitude <= limit }
    return parts.count == count && numbers.count == count ? numbers : nil
  }

  /// Width and height as in "640x480".
  static func size(_ text: Substring) -> PixelSize? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ (1...Int(limit)).contains($0) }) else { return nil }
    return PixelSize(width: sides[0], height: sides[1])
  }
}

/// Width and height, as in 640x480.
struct SizeArgument: ExpressibleByArgument {
  let size: PixelSize

  init?(argument: String) {
    guard let size = Numbers.size(argument[...]) else { return nil }
    self.size = size
  }
}
