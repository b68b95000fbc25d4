public import FaceCore

/// A small grey picture of a face's place in one frame. Two of them give the movement of the face to a few
/// thousandths of its size, whereas boxes of a detector vary by some hundredths even while nothing moves.
///
/// Source: Baker and Matthews, "Lucas-Kanade 20 Years On: A Unifying Framework", 2004 (inverse compositional,
/// with the warp that shifts, turns and scales).
public struct FacePatch: Sendable {
  public static let side = 24

  /// A pixel whose neighbours are compared, with its position relative to the middle.
  private struct Sample {
    let offset: Int
    let x: Float
    let y: Float
  }

  /// The samples in the ellipse in the middle, which a face fills: the background does not move with it.
  private static let samples: [Sample] = (1..<side - 1).flatMap { row in
    (1..<side - 1).compactMap { column in
      let (x, y) = (Float(column) + 0.5 - middle, Float(row) + 0.5 - middle)
      let (across, down) = (x / (0.38 * Float(side)), y / (0.45 * Float(side)))
      return across * across + down * down <= 1 ? Sample(offset: row * side + column, x: x, y: y) : nil
    }
  }
  private static let middle = Float(side) / 2

  /// Luma less its mean in the ellipse, divided by its standard deviation there.
  private let luma: [Float]

  /// - Parameter pixels: `side` rows of `side` pixels without a gap, each blue, green, red and a byte that is
  ///   ignored.
  /// - Returns: `nil` for a picture without contrast, in which no movement is visible.
  public init?(_ pixels: UnsafeRawBufferPointer) {
    let count = FacePatch.side * FacePatch.side
    precondition(pixels.count == count * 4)
    var luma = [Float]()
    luma.reserveCapacity(count)
    for index in 0..<count {
      let (blue, green, red) = (
        Int(pixels[4 * index]), Int(pixels[4 * index + 1]), Int(pixels[4 * index + 2])
      )
      let sum = 29 * blue + 150 * green + 77 * red  // ITU-R BT.601
      luma.append(Float(sum) / 256)
    }
    // Details finer than two pixels would bias movements towards whole pixels.
    luma.smooth(side: FacePatch.side)
    var (sum, squares) = (Float(0), Float(0))
    for sample in FacePatch.samples {
      let value = luma[sample.offset]
      sum += value
      squares += value * value
    }
    let mean = sum / Float(FacePatch.samples.count)
    let variance = squares / Float(FacePatch.samples.count) - mean * mean
    guard variance >= FacePatch.leastDeviation * FacePatch.leastDeviation else { return nil }
    let scale = 1 / variance.squareRoot()
    for index in luma.indices { luma[index] = (luma[index] - mean) * scale }
    self.luma = luma
  }

  /// Returns the shift, turn and scale from positions in this patch to the same parts of the face in `later`,
  /// in pixels of a patch from its corner.
  /// - Parameter start: the start of the search: the movement to an earlier frame.
  /// - Returns: `nil` if `later` does not show the same: it has moved too far, or has changed.
  public func motion(in later: FacePatch, from start: AffineMap = AffineMap()) -> AffineMap? {
    guard let solver = LeastSquares(self) else { return nil }
    let there = start(Point(x: FacePatch.middle, y: FacePatch.middle))
    var warp = Warp(
      x: there.x - FacePatch.middle, y: there.y - FacePatch.middle, scale: Float(start.xx),
      turn: Float(start.yx))
    for _ in 0..<FacePatch.maxSteps {
      var sums = SIMD4<Float>.zero
      for (index, sample) in FacePatch.samples.enumerated() {
        let place = warp(sample.x, sample.y)
        sums += solver.slopes[index] * (later[place.x, place.y] - luma[sample.offset])
      }
      let step = solver.solve(sums)
      warp = warp.undoing(step)
      guard warp.reach <= FacePatch.maxReach else { return nil }
      if Warp(step).reach < FacePatch.leastStep { break }
    }
    guard correlation(with: later, warp) >= FacePatch.minCorrelation else { return nil }
    return warp.map
  }

  /// Returns the correlation, 1 if `later` shows the same at the other end of `warp`.
  private func correlation(with later: FacePatch, _ warp: Warp) -> Float {
    var (sum, squares, products) = (Float(0), Float(0), Float(0))
    for sample in FacePatch.samples {
      let place = warp(sample.x, sample.y)
      let value = later[place.x, place.y]
      sum += value
      squares += value * value
      products += value * luma[sample.offset]
    }
    let count = Float(FacePatch.samples.count)
    let variance = squares - sum * sum / count
    return variance > 0 ? products / (variance * count).squareRoot() : 0
  }

  /// Returns the bilinear interpolation; beyond an edge its pixels are repeated.
  /// - Parameters: relative to the middle.
  private subscript(x: Float, y: Float) -> Float {
    let last = Float(FacePatch.side - 1)
    let column = min(max(x + FacePatch.middle - 0.5, 0), last)
    let row = min(max(y + FacePatch.middle - 0.5, 0), last)
    let (left, top) = (min(Int(column), FacePatch.side - 2), min(Int(row), FacePatch.side - 2))
    let (across, down) = (column - Float(left), row - Float(top))
    let index = top * FacePatch.side + left
    let upper = luma[index] + (luma[index + 1] - luma[index]) * across
    let next = index + FacePatch.side
    let lower = luma[next] + (luma[next + 1] - luma[next]) * across
    return upper + (lower - upper) * down
  }

  /// A shift, turn and scale around the middle of a patch.
  private struct Warp {
    var x: Float = 0
    var y: Float = 0
    /// The cosine and sine of the turn, each times the scale.
    var scale: Float = 1
    var turn: Float = 0

    init(x: Float, y: Float, scale: Float, turn: Float) {
      (self.x, self.y, self.scale, self.turn) = (x, y, scale, turn)
    }

    /// - Parameter step: the differences from no movement: x, y, scale, turn.
    init(_ step: SIMD4<Float>) {
      self.init(x: step.x, y: step.y, scale: 1 + step.z, turn: step.w)
    }

    func callAsFunction(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
      (scale * x - turn * y + self.x, turn * x + scale * y + self.y)
    }

    /// Returns the inverse of `step` followed by this movement.
    func undoing(_ step: SIMD4<Float>) -> Warp {
      let (cosine, sine) = (1 + step.z, step.w)
      let square = cosine * cosine + sine * sine
      guard square > 0.25 else { return Warp(x: .infinity, y: 0, scale: 1, turn: 0) }
      // The inverse of the step has this scale and turn.
      let (scale, turn) = (cosine / square, -sine / square)
      let shift = self(-(scale * step.x - turn * step.y), -(turn * step.x + scale * step.y))
      return Warp(
        x: shift.x, y: shift.y, scale: self.scale * scale - self.turn * turn,
        turn: self.turn * scale + self.scale * turn)
    }

    /// The approximate movement of a position at the patch's edge, in pixels.
    var reach: Float {
      (x * x + y * y).squareRoot()
        + ((scale - 1) * (scale - 1) + turn * turn).squareRoot() * FacePatch.middle
    }

    var map: AffineMap {
      let corner = self(-FacePatch.middle, -FacePatch.middle)
      return AffineMap(
        xx: Double(scale), xy: Double(-turn), dx: Double(corner.x + FacePatch.middle), yx: Double(turn),
        yy: Double(scale), dy: Double(corner.y + FacePatch.middle))
    }
  }

  /// The normal equations of a patch's gradients: the same for every later patch.
  private struct LeastSquares {
    /// The derivatives of each sample's luma by x, y, scale and turn.
    let slopes: [SIMD4<Float>]
    /// The lower triangle of the Cholesky factor, row by row.
    private var factor = InlineArray<4, SIMD4<Float>>(repeating: .zero)

    /// `nil` if the patch's contrast does not determine all of them.
    init?(_ patch: FacePatch) {
      let luma = patch.luma
      slopes = FacePatch.samples.map { sample in
        let across = (luma[sample.offset + 1] - luma[sample.offset - 1]) / 2
        let down = (luma[sample.offset + FacePatch.side] - luma[sample.offset - FacePatch.side]) / 2
        return SIMD4(across, down, across * sample.x + down * sample.y, down * sample.x - across * sample.y)
      }
      var normal = InlineArray<4, SIMD4<Float>>(repeating: .zero)
      for slope in slopes {
        for row in 0..<4 { normal[row] += slope[row] * slope }
      }
      for row in 0..<4 {
        for column in 0...row {
          var rest = normal[row][column]
          for index in 0..<column { rest -= factor[row][index] * factor[column][index] }
          if column < row {
            factor[row][column] = rest / factor[column][column]
          } else {
            guard rest > 1e-3 * normal[row][row], rest > 0 else { return nil }
            factor[row][row] = rest.squareRoot()
          }
        }
      }
    }

    func solve(_ sums: SIMD4<Float>) -> SIMD4<Float> {
      var result = sums
      for row in 0..<4 {
        for index in 0..<row { result[row] -= factor[row][index] * result[index] }
        result[row] /= factor[row][row]
      }
      for row in (0..<4).reversed() {
        for index in row + 1..<4 { result[row] -= factor[index][row] * result[index] }
        result[row] /= factor[row][row]
      }
      return result
    }
  }

  private static let maxSteps = 8
  /// Pixels: a smaller step ends the iteration.
  private static let leastStep: Float = 0.003
  /// Pixels, as in `Warp.reach`: beyond, the gradients of the patch do not apply.
  private static let maxReach: Float = 4
  /// The least correlation of a face's luma in two frames: below, it has turned, or something else is there.
  private static let minCorrelation: Float = 0.9
  /// The least standard deviation of luma, 0…255; less is noise.
  private static let leastDeviation: Float = 3
}
