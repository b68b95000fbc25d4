package import FaceCore

/// The cells of one cover: a grid over the part of its area that is inside the picture.
///
/// No cell is smaller than the cover's options say, also at the picture's border, unless the part itself is smaller.
package struct CoverCells {
  private let size: PixelSize
  private let outline: Outline
  private let columns: Cells
  private let rows: Cells

  /// `nil` if the cover is outside the picture.
  package init?(of face: Box, _ cover: FaceCover, hasRim: Bool, in size: PixelSize) {
    self.size = size
    let area = cover.area(of: face)
    let least = max(max(face.width, face.height) / Float(cover.cells), FaceCover.minSide)
    outline = Outline(area: area, shape: cover.shape, hasRim: hasRim)
    guard
      let columns = Cells(
        from: area.x - outline.reach, to: area.maxX + outline.reach, count: size.width, least),
      let rows = Cells(from: area.y - outline.reach, to: area.maxY + outline.reach, count: size.height, least)
    else { return nil }
    (self.columns, self.rows) = (columns, rows)
  }

  /// Where the columns and rows begin, and where the last ones end, in pixels.
  package var edges: (x: [Int], y: [Int]) { (columns.edges, rows.edges) }

  /// Replaces the pixels by the means of their cells, which are interpolated if `isSmooth`.
  /// - Parameter pixels: rows of four bytes, which may be colours multiplied by alpha.
  func cover(_ pixels: UnsafeMutableBufferPointer<UInt8>, isSmooth: Bool, _ colour: Colour) {
    guard let base = pixels.baseAddress else { return }
    let raw = UnsafeMutableRawPointer(base)
    let means = means(raw).map { $0 * (1 - colour.alpha) + colour.premultiplied }
    let across = columns.range.map { columns.taps(at: $0, isSmooth: isSmooth) }
    var line = [SIMD4<Int32>](repeating: .zero, count: columns.count)
    for y in rows.range {
      let down = rows.taps(at: y, isSmooth: isSmooth)
      for column in 0..<columns.count { line[column] = down.sum { means[$0 * columns.count + column] } }
      let opaque = outline.opaquePixels(y, columns.range)
      let first = columns.range.lowerBound
      across.withUnsafeBufferPointer { across in
        line.withUnsafeBufferPointer { line in
          for x in opaque {
            let shown = across[x - first].sum(line)
            raw.storeBytes(of: shown, toByteOffset: 4 * (y * size.width + x), as: SIMD4<UInt8>.self)
          }
          for x in columns.range where !opaque.contains(x) {
            let opacity = outline.opacity(x, y)
            guard opacity > 0 else { continue }
            let offset = 4 * (y * size.width + x)
            let old = SIMD4<Float>(raw.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self))
            let shown = old + (SIMD4<Float>(across[x - first].sum(line)) - old) * opacity
            let bytes = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(shown + 0.5))
            raw.storeBytes(of: bytes, toByteOffset: offset, as: SIMD4<UInt8>.self)
          }
        }
      }
    }
  }

  /// The means of the cells, row by row, 0…255.
  private func means(_ pixels: UnsafeMutableRawPointer) -> [SIMD4<Float>] {
    var means: [SIMD4<Float>] = []
    means.reserveCapacity(rows.count * columns.count)
    var sums = [SIMD4<UInt64>](repeating: .zero, count: columns.count)
    for row in 0..<rows.count {
      for column in 0..<columns.count { sums[column] = .zero }
      for y in rows.edges[row]..<rows.edges[row + 1] {
        for column in 0..<columns.count {
          // The sum of a row's part fits into 32 bits.
          var sum = SIMD4<UInt32>.zero
          for x in columns.edges[column]..<columns.edges[column + 1] {
            let pixel = pixels.loadUnaligned(
              fromByteOffset: 4 * (y * size.width + x), as: SIMD4<UInt8>.self)
            sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
          }
          sums[column] &+= SIMD4<UInt64>(truncatingIfNeeded: sum)
        }
      }
      let height = rows.edges[row + 1] - rows.edges[row]
      for column in 0..<columns.count {
        let area = height * (columns.edges[column + 1] - columns.edges[column])
        means.append(SIMD4<Float>(sums[column]) / Float(area))
      }
    }
    return means
  }
}

/// The cells of a cover along one axis.
private struct Cells {
  /// Where the cells begin, and where the last one ends, in pixels.
  let edges: [Int]

  /// `nil` if no pixel of `count` is between the two positions.
  /// - Parameter least: the least side of a cell.
  init?(from low: Float, to high: Float, count: Int, _ least: Float) {
    let first = max(0, Int(low.rounded(.down)))
    let length = min(count, Int(high.rounded(.up))) - first
    guard length > 0 else { return nil }
    let cells = max(1, Int(Float(length) / least.rounded(.up)))
    edges = (0...cells).map { first + $0 * length / cells }
  }

  var count: Int { edges.count - 1 }
  var range: Range<Int> { edges[0]..<edges[count] }

  /// The cells whose means make up a pixel, and their weights: the pixel's own, or three that blend smoothly (a
  /// quadratic B-spline).
  func taps(at pixel: Int, isSmooth: Bool) -> Taps {
    let place = (Float(pixel - edges[0]) + 0.5) * Float(count) / Float(edges[count] - edges[0])
    guard isSmooth else {
      let cell = edges.lastIndex { $0 <= pixel } ?? 0
      return Taps(cells: SIMD3(repeating: Int32(cell)), weights: SIMD3(0, 1, 0))
    }
    let cell = min(Int(place), count - 1)
    let shift = place - Float(cell) - 0.5
    return Taps(
      cells: SIMD3(Int32(max(cell - 1, 0)), Int32(cell), Int32(min(cell + 1, count - 1))),
      weights: SIMD3(
        (0.5 - shift) * (0.5 - shift) / 2, 0.75 - shift * shift, (0.5 + shift) * (0.5 + shift) / 2))
  }
}

/// Three cells and their weights. Per pixel of a video in whole numbers, which take a tenth of the time.
private struct Taps {
  /// Bits behind the point of the values of a line, and of the weights along it.
  private static let (valueBits, weightBits): (Int32, Int32) = (8, 12)

  private let cells: SIMD3<Int32>
  /// Their sum is 1.
  private let weights: SIMD3<Float>
  private let wholeWeights: SIMD3<Int32>

  init(cells: SIMD3<Int32>, weights: SIMD3<Float>) {
    (self.cells, self.weights) = (cells, weights)
    let one = Int32(1) << Taps.weightBits
    let (first, last) = (Int32(weights.x * Float(one)), Int32(weights.z * Float(one)))
    wholeWeights = SIMD3(first, one - first - last, last)
  }

  /// Returns a value of a line.
  func sum(_ mean: (Int) -> SIMD4<Float>) -> SIMD4<Int32> {
    let sum = mean(Int(cells.x)) * weights.x + mean(Int(cells.y)) * weights.y + mean(Int(cells.z)) * weights.z
    return SIMD4<Int32>(sum * Float(1 << Taps.valueBits) + 0.5)
  }

  /// Returns a pixel.
  func sum(_ line: UnsafeBufferPointer<SIMD4<Int32>>) -> SIMD4<UInt8> {
    let sum =
      line[Int(cells.x)] &* wholeWeights.x &+ line[Int(cells.y)] &* wholeWeights.y
      &+ line[Int(cells.z)] &* wholeWeights.z
    let bits = Taps.valueBits + Taps.weightBits
    return SIMD4<UInt8>(
      truncatingIfNeeded: (sum &+ SIMD4(repeating: 1 << (bits - 1))) &>> SIMD4(repeating: bits))
  }
}

/// Where a cover is opaque: every pixel that its ellipse or box touches. The smooth rim of an ellipse is outside.
private struct Outline {
  private let center: Point
  private let radii: SIMD2<Float>
  private let isEllipse: Bool
  private let hasRim: Bool

  init(area: Box, shape: FaceCover.Shape, hasRim: Bool) {
    center = area.center
    radii = SIMD2(max(area.width / 2, 0.5), max(area.height / 2, 0.5))
    isEllipse = shape == .ellipse
    self.hasRim = hasRim
  }

  /// Half the diagonal of a pixel: one whose centre is farther from the ellipse does not touch it.
  private static let touching: Float = 0.75

  /// How far the cover reaches beyond its area, in pixels.
  var reach: Float { isEllipse ? Outline.touching + 1 : 0 }

  /// Returns the pixels of a row that are inside: they are side by side.
  func opaquePixels(_ y: Int, _ range: Range<Int>) -> Range<Int> {
    guard let first = range.first(where: { opacity($0, y) == 1 }) else {
      return range.lowerBound..<range.lowerBound
    }
    let last = range.last { opacity($0, y) == 1 } ?? first
    return first..<(last + 1)
  }

  /// Returns 1 inside, less on the rim, 0 outside.
  func opacity(_ x: Int, _ y: Int) -> Float {
    guard isEllipse else { return 1 }
    let away = SIMD2(Float(x) + 0.5 - center.x, Float(y) + 0.5 - center.y)
    let scaled = away / radii
    let excess = (scaled * scaled).sum() - 1
    guard excess > 0 else { return 1 }
    // The distance from the ellipse, to first order.
    let slope = scaled / radii
    let distance = excess / (2 * (slope * slope).sum().squareRoot())
    if distance <= Outline.touching { return 1 }
    return hasRim ? max(0, 1 + Outline.touching - distance) : 0
  }
}

extension Colour {
  /// Blue, green, red and alpha in the order of a canvas, 0…255, colours multiplied by alpha.
  fileprivate var premultiplied: SIMD4<Float> { SIMD4(blue, green, red, 1) * (alpha * 255) }
}
