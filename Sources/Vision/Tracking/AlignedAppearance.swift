public import FaceCore

import func Glibc.atan2f

/// A descriptor of a head in one frame, upright and in the middle by the face's five points, to tell within
/// seconds whether a face that appears is one that left: elsewhere, in another size and slightly turned.
///
/// It compares the directions of edges in cells of the picture (Dalal and Triggs, "Histograms of Oriented
/// Gradients for Human Detection", 2005), which are invariant to exposure and contrast, the distribution of
/// luma, and the mean colour. The cells are those of the face and its hair: the background and the clothes
/// may be the same behind all faces.
public struct AlignedAppearance: Sendable {
  /// The side of the square picture that is compared, in pixels.
  public static let side = 24
  /// Where the five points are in that square, in pixels.
  public static let points = FivePoints(
    leftEye: Point(x: 14.16, y: 10.8), rightEye: Point(x: 9.84, y: 10.8), noseTip: Point(x: 12, y: 12.96),
    mouthLeft: Point(x: 13.92, y: 15.12), mouthRight: Point(x: 10.08, y: 15.12))

  /// The side of a cell in pixels, and the number of cells in a row.
  private static let cell = 4
  private static let cells = side / cell
  private static let directions = 8

  /// How far a position is from the middle of the head; 1 at the outline of the face.
  private static func distance(_ x: Float, _ y: Float) -> Float {
    let (across, down) = ((x - 12) / 4.32, (y - 11.35) / 5.83)
    return (across * across + down * down).squareRoot()
  }
  /// The weight of each cell: 1 for the face, less for the hair, 0 for what is around.
  private static let weights: [Float] = (0..<cells * cells).map { index in
    let x = (Float(index % cells) + 0.5) * Float(cell)
    let y = (Float(index / cells) + 0.5) * Float(cell)
    return min(max((2 - distance(x, y)) / 0.8, 0), 1)
  }
  /// Offsets of the pixels whose colours are compared.
  private static let head = (0..<side * side).filter { index in
    distance(Float(index % side) + 0.5, Float(index / side) + 0.5) <= 1.6
  }

  /// The histograms of the cells that have a weight, less their mean, times the root of the weight; the
  /// squares sum to 1.
  private let edges: [Float]
  /// Quantiles of the luma, divided by the mean.
  private let lightness: SIMD16<Float>
  /// The mean shares of blue, green and red, and 0.
  private let shares: SIMD4<Float>

  /// - Parameter pixels: `side` rows of `side` pixels without a gap, each blue, green, red and a byte that is
  ///   ignored.
  /// - Returns: `nil` for a picture without contrast.
  public init?(_ pixels: UnsafeRawBufferPointer) {
    let count = AlignedAppearance.side * AlignedAppearance.side
    precondition(pixels.count == count * 4)
    var luma = [Float](repeating: 0, count: count)
    for index in 0..<count {
      let (blue, green, red) = (
        Float(pixels[4 * index]), Float(pixels[4 * index + 1]), Float(pixels[4 * index + 2])
      )
      luma[index] = 0.114 * blue + 0.587 * green + 0.299 * red  // ITU-R BT.601
    }
    let head = AlignedAppearance.head
    let sorted = head.map { luma[$0] }.sorted()
    let mean = sorted.reduce(0, +) / Float(sorted.count)
    guard sorted[sorted.count - 1] - sorted[0] >= AlignedAppearance.leastContrast else { return nil }
    var lightness = SIMD16<Float>.zero
    for index in 0..<16 {
      lightness[index] = sorted[(2 * index + 1) * sorted.count / 32] / (mean + AlignedAppearance.darkness)
    }
    var shares = SIMD4<Float>.zero
    for index in head {
      let colour = SIMD4(
        Float(pixels[4 * index]), Float(pixels[4 * index + 1]), Float(pixels[4 * index + 2]), 0)
      shares += colour / (colour.sum() + 3 * AlignedAppearance.darkness)
    }
    guard let edges = AlignedAppearance.edges(of: luma) else { return nil }
    (self.edges, self.lightness, self.shares) = (edges, lightness, shares / Float(head.count))
  }

  /// Returns 0 for the same picture, and more the less alike the heads are.
  public func difference(from other: AlignedAppearance) -> Float {
    var correlation = Float(0)
    for index in edges.indices { correlation += edges[index] * other.edges[index] }
    let (spread, tint) = (lightness - other.lightness, shares - other.shares)
    let distance = spread.replacing(with: -spread, where: spread .< 0).sum() / 16
    return max(0, 1 - correlation) + distance + abs(tint.x) + abs(tint.y) + abs(tint.z)
  }

  /// Returns `edges`; `nil` if there are none.
  private static func edges(of luma: [Float]) -> [Float]? {
    var smooth = luma
    smooth.smooth(side: side)
    // Each gradient counts for the two nearest directions in the four nearest cells.
    var histograms = [Float](repeating: 0, count: cells * cells * directions)
    var sum = Float(0)
    for row in 0..<side {
      for column in 0..<side {
        let index = row * side + column
        let across = (1..<side - 1).contains(column) ? smooth[index + 1] - smooth[index - 1] : 0
        let down = (1..<side - 1).contains(row) ? smooth[index + side] - smooth[index - side] : 0
        // The root, because a few strong edges would count for everything.
        let strength = (across * across + down * down).squareRoot().squareRoot()
        guard strength > 0 else { continue }
        sum += strength
        let turn = atan2f(down, across) / (2 * .pi)
        let direction = (turn < 0 ? turn + 1 : turn) * Float(directions)
        let (x, y) = (Neighbours(centre(column)), Neighbours(centre(row)))
        let bins = Neighbours(direction)
        for right in 0...1 where (0..<cells).contains(x.lower + right) {
          for below in 0...1 where (0..<cells).contains(y.lower + below) {
            let weight = strength * x[right] * y[below]
            let first = ((y.lower + below) * cells + x.lower + right) * directions
            for next in 0...1 { histograms[first + (bins.lower + next) % directions] += weight * bins[next] }
          }
        }
      }
    }
    guard sum > 0 else { return nil }
    return normalised(histograms, noise: 0.1 * sum / Float(cells * cells))
  }

  /// The middle of a pixel in cells, from the middle of the first one.
  private static func centre(_ pixel: Int) -> Float { (Float(pixel) + 0.5) / Float(cell) - 0.5 }

  /// The two whole numbers between which a position is, and how much it counts for each.
  private struct Neighbours {
    let lower: Int
    private let share: Float

    init(_ position: Float) {
      let lower = position.rounded(.down)
      (self.lower, share) = (Int(lower), position - lower)
    }

    /// The weight of the lower one, 0, or the upper one, 1.
    subscript(_ which: Int) -> Float { which == 0 ? 1 - share : share }
  }

  /// Returns each cell's histogram relative to its norm, so that light on one side of the face does not
  /// matter, then all without their mean and with their weights.
  /// - Parameter noise: is added to the norms: nearly even cells are noise.
  private static func normalised(_ histograms: [Float], noise: Float) -> [Float]? {
    let seen = weights.indices.filter { weights[$0] > 0 }
    var (edges, sum, total) = ([Float](), Float(0), Float(0))
    for cell in seen {
      let histogram = histograms[cell * directions..<(cell + 1) * directions]
      let norm = histogram.reduce(0) { $0 + $1 * $1 }.squareRoot() + noise
      for value in histogram {
        edges.append(value / norm)
        sum += value / norm * weights[cell]
        total += weights[cell]
      }
    }
    var squares = Float(0)
    for index in edges.indices {
      edges[index] = (edges[index] - sum / total) * weights[seen[index / directions]].squareRoot()
      squares += edges[index] * edges[index]
    }
    guard squares > 1e-6 else { return nil }
    let scale = 1 / squares.squareRoot()
    for index in edges.indices { edges[index] *= scale }
    return edges
  }

  /// Added to means used as divisors: near black, colour is noise.
  private static let darkness: Float = 8
  /// The least range of luma, 0…255; less is noise.
  private static let leastContrast: Float = 16
}
