import Tracking

/// The pixels of a synthetic head, upright and in the middle: patches of grey and colour, always the same for
/// the same seed.
struct MadeUpHead {
  private var pixels: [SIMD3<Float>]

  init(seed: Int) {
    let side = AlignedAppearance.side
    let patches = MadeUpFace.patches(64, seed: seed)
    pixels = (0..<side * side).map { patches[($0 / side / 3) * 8 + $0 % side / 3] }
  }

  /// The same grey everywhere.
  static var flat: MadeUpHead {
    var flat = MadeUpHead(seed: 0)
    flat.pixels = flat.pixels.map { _ in SIMD3(repeating: 90) }
    return flat
  }

  /// Returns the head with each pixel changed.
  /// - Parameter change: gets the column and the row, 0…1, and the pixel's blue, green and red.
  func changed(_ change: (Float, Float, SIMD3<Float>) -> SIMD3<Float>) -> MadeUpHead {
    let side = AlignedAppearance.side
    var head = self
    for index in pixels.indices {
      let (x, y) = (Float(index % side) / Float(side), Float(index / side) / Float(side))
      head.pixels[index] = change(x, y, pixels[index])
        .clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
    }
    return head
  }

  /// The head with the pixels around `other`'s face.
  func exchanged(with other: MadeUpHead) -> MadeUpHead {
    let side = AlignedAppearance.side
    var head = self
    for index in pixels.indices {
      let (x, y) = (Float(index % side) - 11.5, Float(index / side) - 11)
      if x * x / 100 + y * y / 144 > 1 { head.pixels[index] = other.pixels[index] }
    }
    return head
  }

  var appearance: AlignedAppearance? {
    let bytes = pixels.flatMap { pixel -> [UInt8] in [UInt8(pixel.x), UInt8(pixel.y), UInt8(pixel.z), 77] }
    return bytes.withUnsafeBytes { AlignedAppearance($0) }
  }
}
