import FaceCore
import Tracking

/// The pixels of a synthetic face: patches of colour, always the same for the same seed.
struct MadeUpFace {
  /// Each pixel's blue, green and red.
  private var pixels: [SIMD3<Float>]

  init(seed: Int) {
    let patches = Self.patches(16, seed: seed)
    let side = FaceAppearance.side
    pixels = (0..<side * side).map { patches[($0 / side / 4) * 4 + $0 % side / 4] }
  }

  /// Colours that are always the same for the same seed.
  static func patches(_ count: Int, seed: Int) -> [SIMD3<Float>] {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 24)
    }
    return (0..<count).map { _ in SIMD3(40 + 150 * next(), 40 + 150 * next(), 40 + 150 * next()) }
  }

  subscript(x: Int, y: Int) -> SIMD3<Float> {
    get { pixels[y * FaceAppearance.side + x] }
    set { pixels[y * FaceAppearance.side + x] = newValue }
  }

  func lit(_ light: SIMD3<Float>) -> MadeUpFace {
    var lit = self
    lit.pixels = pixels.map { ($0 * light).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255)) }
    return lit
  }

  var appearance: FaceAppearance? {
    let bytes = pixels.flatMap { pixel -> [UInt8] in [UInt8(pixel.x), UInt8(pixel.y), UInt8(pixel.z), 77] }
    return bytes.withUnsafeBytes { FaceAppearance($0) }
  }

  /// The pixels of the ellipse, as whole numbers like stored ones.
  private var seen: [SIMD3<Float>] {
    let side = FaceAppearance.side
    return pixels.indices.filter { index in
      let x = (Float(index % side) + 0.5) / Float(side) - 0.5
      let y = (Float(index / side) + 0.5) / Float(side) - 0.5
      return (x / 0.42) * (x / 0.42) + (y / 0.5) * (y / 0.5) <= 1
    }.map { pixels[$0].rounded(.down) }
  }

  private static func luma(_ colour: SIMD3<Float>) -> Float {
    0.114 * colour.x + 0.587 * colour.y + 0.299 * colour.z
  }

  private static func correlation(_ one: [Float], _ other: [Float]) -> Float {
    func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(values.count) }
    let (here, there) = (one.map { $0 - mean(one) }, other.map { $0 - mean(other) })
    let squares = here.map { $0 * $0 }.reduce(0, +) * there.map { $0 * $0 }.reduce(0, +)
    return zip(here, there).map(*).reduce(0, +) / squares.squareRoot()
  }

  /// The definition of the difference, step by step.
  func naiveDifference(from other: MadeUpFace) -> Float {
    func flat(_ face: MadeUpFace) -> [Float] {
      face.seen.flatMap { pixel -> [Float] in [pixel.x, pixel.y, pixel.z] }
    }
    func lightness(_ face: MadeUpFace) -> [Float] {
      let mean = flat(face).reduce(0, +) / Float(face.seen.count * 3) + 8
      return face.seen.map { MadeUpFace.luma($0) / mean }.sorted()
    }
    func shares(_ face: MadeUpFace) -> SIMD3<Float> {
      face.seen.map { $0 / ($0.sum() + 24) }.reduce(.zero, +) / Float(face.seen.count)
    }
    let spread = zip(lightness(self), lightness(other)).map { abs($0 - $1) }.reduce(0, +) / Float(seen.count)
    let tint = shares(self) - shares(other)
    let difference =
      1 - MadeUpFace.correlation(flat(self), flat(other)) + 4.3 * spread
      + 11 * (abs(tint.x) + abs(tint.y) + abs(tint.z))
    let pattern = 1 - MadeUpFace.correlation(seen.map(MadeUpFace.luma), other.seen.map(MadeUpFace.luma))
    return pattern < 0.25 ? min(difference, pattern) : difference
  }
}
