/// A descriptor of a face's appearance in one frame, to tell it from another face in a frame soon after. It
/// does not recognise a person: on another day, in other light or by another camera the same face looks
/// different.
///
/// It compares the correlation of the colours, the distribution of luma, and the mean colour; the first is
/// invariant to exposure and contrast, the second to positions. Their weights are those of a logistic
/// regression on pairs of frames of one person up to a second apart, and pairs of two people. If the pattern
/// of luma shows that only the light on a face has changed, it is the same face.
public struct FaceAppearance: Sendable {
  /// The side of the square picture that is compared, in pixels.
  public static let side = 16
  /// Byte offsets of the pixels of the ellipse inside that square; the background is excluded because it may
  /// be the same behind all faces.
  private static let offsets = (0..<side).flatMap { row in
    let down = (Float(row) + 0.5) / Float(side) * 2 - 1
    let half = (1 - down * down).squareRoot() * 0.42 * Float(side)
    let middle = Float(side) / 2
    return (Int((middle - half).rounded())..<Int((middle + half).rounded())).map { (row * side + $0) * 4 }
  }

  /// Blue, green, red and 0 of each pixel, less the mean of all; the squares sum to 1.
  private let colours: [SIMD4<Float>]
  /// The luma of the pixels in ascending order, divided by the mean grey.
  private let lightness: [Float]
  /// The mean shares of blue, green and red, and 0.
  private let shares: SIMD4<Float>

  /// - Parameter pixels: `side` rows of `side` pixels without a gap, each blue, green, red and a byte that is
  ///   ignored.
  /// - Returns: `nil` for a picture without contrast, in which nothing can be compared.
  public init?(_ pixels: UnsafeRawBufferPointer) {
    precondition(pixels.count == FaceAppearance.side * FaceAppearance.side * 4)
    let offsets = FaceAppearance.offsets
    let count = Float(offsets.count)
    var (sum, shares) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    // Steps of four: finer differences of luma are noise.
    var pixelsOfLuma = InlineArray<64, UInt16>(repeating: 0)
    var colours = offsets.map { offset in
      let (blue, green, red) = (Int(pixels[offset]), Int(pixels[offset + 1]), Int(pixels[offset + 2]))
      pixelsOfLuma[(29 * blue + 150 * green + 77 * red) >> 10] += 1  // ITU-R BT.601
      let colour = SIMD4<Float>(Float(blue), Float(green), Float(red), 0)
      sum += colour
      shares += colour / (Float(blue + green + red) + 3 * FaceAppearance.darkness)
      return colour
    }
    let grey = (sum.x + sum.y + sum.z) / (count * 3)
    let mean = SIMD4(grey, grey, grey, 0)
    var squares = SIMD4<Float>.zero
    for index in colours.indices {
      colours[index] -= mean
      squares += colours[index] * colours[index]
    }
    let deviation = (squares.sum() / (count * 3)).squareRoot()
    guard deviation >= FaceAppearance.leastDeviation else { return nil }
    let scale = 1 / squares.sum().squareRoot()
    for index in colours.indices { colours[index] *= scale }
    var lightness: [Float] = []
    lightness.reserveCapacity(offsets.count)
    let unit = 4 / (grey + FaceAppearance.darkness)
    for luma in pixelsOfLuma.indices {
      let value = (Float(luma) + 0.5) * unit
      for _ in 0..<pixelsOfLuma[luma] { lightness.append(value) }
    }
    (self.colours, self.lightness, self.shares) = (colours, lightness, shares / count)
  }

  /// Returns 0 for the same picture; between frames of one person mostly below 0.3, between people mostly
  /// above 1.2.
  public func difference(from other: FaceAppearance) -> Float {
    var (correlation, spread) = (SIMD4<Float>.zero, Float(0))
    for index in colours.indices { correlation += colours[index] * other.colours[index] }
    for index in lightness.indices { spread += abs(lightness[index] - other.lightness[index]) }
    let tint = shares - other.shares
    let difference =
      max(0, 1 - correlation.sum()) + FaceAppearance.spreadWeight * spread / Float(lightness.count)
      + FaceAppearance.tintWeight * (abs(tint.x) + abs(tint.y) + abs(tint.z))
    // A lamp that is switched on, or red light, changes all of this, but not where light and dark are.
    guard difference > FaceAppearance.doubtful else { return difference }
    let pattern = 1 - lumaCorrelation(with: other)
    return pattern < FaceAppearance.samePattern ? min(difference, pattern) : difference
  }

  private func lumaCorrelation(with other: FaceAppearance) -> Float {
    var (sums, squares, products) = (SIMD2<Float>.zero, SIMD2<Float>.zero, Float(0))
    for index in colours.indices {
      let here = colours[index] * FaceAppearance.lumaWeights
      let there = other.colours[index] * FaceAppearance.lumaWeights
      let luma = SIMD2(here.x + here.y + here.z, there.x + there.y + there.z)
      sums += luma
      squares += luma * luma
      products += luma.x * luma.y
    }
    let count = Float(colours.count)
    let variances = squares - sums * sums / count
    // The squares of the colours sum to 1; with so little of luma in them there is no pattern.
    guard variances.min() > 1e-4 else { return 0 }
    let correlation = (products - sums.x * sums.y / count) / (variances.x * variances.y).squareRoot()
    return min(correlation, 1)
  }

  /// The weights of ITU-R BT.601, for blue, green and red.
  private static let lumaWeights = SIMD4<Float>(0.114, 0.587, 0.299, 0)
  private static let doubtful: Float = 0.6
  /// Patterns that differ by less count as the same face; of pairs of different people, one in sixty differs
  /// by less.
  private static let samePattern: Float = 0.25
  /// Added to means used as divisors: near black, colour is noise.
  private static let darkness: Float = 8
  /// The least standard deviation of values of 0…255; less is noise.
  private static let leastDeviation: Float = 3
  private static let spreadWeight: Float = 4.3
  private static let tintWeight: Float = 11
}
