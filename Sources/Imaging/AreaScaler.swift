/// Scales down by the mean of the area each new pixel covers, pixels at its rim counted by the part covered.
///
/// Every source pixel counts the same, so thin detail turns into its mean instead of into stripes that were not there.
struct AreaScaler {
  /// The source pixels under one new pixel: the first and last in part, those between in full.
  private struct Cover {
    let first: Int
    let last: Int
    let firstWeight: Float
    let lastWeight: Float

    func weight(_ index: Int) -> Float {
      index == first ? firstWeight : index == last ? lastWeight : 1
    }
  }

  /// One row of sums, four values a pixel, of a source `width` pixels wide.
  private var sums: [Float]
  private let columns: [Cover]
  private let rows: [Cover]
  /// One over the area of a new pixel.
  private let share: Float

  /// - Parameters: sides of the source and of the target in pixels, no target side above its source's.
  init(width: Int, height: Int, toWidth: Int, toHeight: Int) {
    sums = [Float](repeating: 0, count: width * 4)
    columns = AreaScaler.covers(width, toWidth)
    rows = AreaScaler.covers(height, toHeight)
    share = Float(toWidth) / Float(width) * Float(toHeight) / Float(height)
  }

  /// - Parameters:
  ///   - source: rows of four-byte pixels, `stride` bytes apart.
  ///   - target: rows of four-byte pixels without a gap.
  mutating func scale(
    _ source: UnsafePointer<UInt8>, stride: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    for (index, row) in rows.enumerated() {
      addRows(row, of: source, stride: stride)
      reduceColumns(into: target + index * columns.count * 4)
    }
  }

  private mutating func addRows(_ cover: Cover, of source: UnsafePointer<UInt8>, stride: Int) {
    sums.withUnsafeMutableBufferPointer { sums in
      sums.update(repeating: 0)
      for row in cover.first...cover.last {
        let line = source + row * stride
        let weight = cover.weight(row)
        for index in 0..<sums.count { sums[index] += Float(line[index]) * weight }
      }
    }
  }

  private func reduceColumns(into line: UnsafeMutablePointer<UInt8>) {
    sums.withUnsafeBytes { sums in
      let pixels = sums.bindMemory(to: SIMD4<Float>.self)
      for (column, cover) in columns.enumerated() {
        var sum = pixels[cover.first] * cover.firstWeight
        if cover.last > cover.first {
          for index in cover.first + 1..<cover.last { sum += pixels[index] }
          sum += pixels[cover.last] * cover.lastWeight
        }
        let mean = sum * share + 0.5
        for part in 0..<4 { line[column * 4 + part] = UInt8(min(mean[part], 255)) }
      }
    }
  }

  private static func covers(_ side: Int, _ target: Int) -> [Cover] {
    (0..<target).map { index in
      // In whole numbers, so that neighbours meet exactly: pixel `index` covers from `index * side / target`.
      let (first, start) = (index * side).quotientAndRemainder(dividingBy: target)
      let (end, rest) = ((index + 1) * side).quotientAndRemainder(dividingBy: target)
      let last = rest == 0 ? end - 1 : end
      let whole = Float(target)
      return Cover(
        first: first, last: last,
        firstWeight: first == last ? Float(side) / whole : Float(target - start) / whole,
        lastWeight: rest == 0 ? 1 : Float(rest) / whole)
    }
  }
}
