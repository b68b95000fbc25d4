import FaceCore

/// A small synthetic picture for self-tests: an oval with two dark spots on a grey gradient.
enum SelfTestFrame {
  private static let side = 64

  /// Calls `body` with the picture, which is valid until `body` returns.
  static func with<Result>(_ body: (ImageInput) throws(Status) -> Result) throws(Status) -> Result {
    let bytes = pixels
    return try bytes.span.withUnsafeBytes { (buffer) throws(Status) in
      try body(ImageInput(.pixels(try ImageView(format: .gray, width: side, height: side, bytes: buffer))))
    }
  }

  private static var pixels: [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(side * side)
    for y in 0..<side {
      for x in 0..<side { pixels.append(shade(x - side / 2, y - side / 2)) }
    }
    return pixels
  }

  /// - Parameters: pixels from the centre.
  private static func shade(_ x: Int, _ y: Int) -> UInt8 {
    let eye = abs(x) - 9
    if eye * eye + (y + 6) * (y + 6) < 12 { return 40 }
    if x * x * 2 + y * y < 600 { return 200 }
    return UInt8(clamping: 96 + y)
  }
}
