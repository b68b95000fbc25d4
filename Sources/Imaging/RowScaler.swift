import CYUV
import FaceCore

/// Scales pixels of any format down to BGRA, a row of the target at a time: the rows it is made of become one, that one
/// is converted, and then made narrower. So a frame is read once, and what lies between stays in the processor's cache.
struct RowScaler: ~Copyable {
  private let source: ImageView
  private let target: PixelSize
  /// How rows of each plane become one.
  private let rows: [ScaleTaps]
  /// How columns become fewer; `nil` where libyuv's bilinear filter does it.
  private let columns: ScaleTaps?
  private let memory: HeapMemory
  /// One row of the source's format, of `memory`.
  private let mixed: ImageView
  private let mixedRows: [UnsafeMutablePointer<UInt8>]
  private let sums: UnsafeMutablePointer<UInt16>
  /// One row of BGRA pixels as wide as the source.
  private let converted: UnsafeMutablePointer<UInt8>

  /// Down to the half bilinear; below, where that would look at some of the pixels only, by area.
  /// - Parameter target: no side above the source's.
  init(_ source: ImageView, to target: PixelSize) throws(Status) {
    self.source = source
    self.target = target
    let size = source.size
    let byArea = size.width > 2 * target.width || size.height > 2 * target.height
    let luma =
      byArea
      ? ScaleTaps.area(size.height, to: target.height) : .bilinear(size.height, to: target.height)
    columns = byArea ? ScaleTaps.area(size.width, to: target.width) : nil
    let format = source.format
    rows = (0..<format.planeCount).map { format.rows(plane: $0, height: 2) == 1 ? luma.halved() : luma }

    // Planes, sums and the converted row, each with some bytes to spare, since libyuv reads whole registers.
    func room(_ bytes: Int) -> Int { (bytes + 127) & ~63 }
    let widths = (0..<format.planeCount).map { format.rowBytes(plane: $0, width: size.width) }
    let wholeRows = widths.map(room).reduce(0, +)
    memory = try HeapMemory(byteCount: wholeRows + 2 * room(widths[0]) + room(4 * size.width))
    var next = 0
    mixedRows = widths.map { [start = memory.bytes.baseAddress.unsafelyUnwrapped] width in
      defer { next += room(width) }
      return (start + next).bindMemory(to: UInt8.self, capacity: width)
    }
    let start = memory.bytes.baseAddress.unsafelyUnwrapped
    sums = (start + wholeRows).bindMemory(to: UInt16.self, capacity: widths[0])
    converted = (start + wholeRows + 2 * room(widths[0])).bindMemory(to: UInt8.self, capacity: 4 * size.width)
    mixed = source.row(zip(mixedRows, widths).map { UnsafeRawBufferPointer(start: $0, count: $1) })
  }

  func scale(into bitmap: borrowing Bitmap) throws(Status) {
    guard let pixels = bitmap.pixels.baseAddress else { return }
    for row in 0..<target.height {
      for plane in 0..<rows.count { mix(plane, row) }
      let line = pixels + row * bitmap.stride
      if source.format == .bgra {
        try narrow(mixedRows[0], into: line)
      } else {
        try PixelConverter.convert(mixed, into: converted, stride: 4 * source.size.width)
        try narrow(converted, into: line)
      }
    }
  }

  /// The rows of `plane` that row `row` of the target is made of, as one.
  private func mix(_ plane: Int, _ row: Int) {
    let width = source.format.rowBytes(plane: plane, width: source.size.width)
    let weights = rows[plane].weights(row)
    let from = source.plane(plane)
    let first = (from.bytes.baseAddress.unsafelyUnwrapped + rows[plane].first(row) * from.stride)
      .assumingMemoryBound(to: UInt8.self)
    let mixed = mixedRows[plane]
    let start = weights.startIndex
    switch weights.count {
    case 1:
      mixed.update(from: first, count: width)
    case 2:
      let (second, upper, lower) = (first + from.stride, weights[start], weights[start + 1])
      for index in 0..<width {
        mixed[index] = UInt8(
          truncatingIfNeeded: (UInt16(first[index]) &* upper &+ UInt16(second[index]) &* lower &+ 128) >> 8)
      }
    default:
      for index in 0..<width { sums[index] = UInt16(first[index]) &* weights[start] &+ 128 }
      for offset in 1..<weights.count - 1 {
        let (line, weight) = (first + offset * from.stride, weights[start + offset])
        for index in 0..<width { sums[index] &+= UInt16(line[index]) &* weight }
      }
      let (line, weight) = (first + (weights.count - 1) * from.stride, weights[weights.endIndex - 1])
      for index in 0..<width {
        mixed[index] = UInt8(truncatingIfNeeded: (sums[index] &+ UInt16(line[index]) &* weight) >> 8)
      }
    }
  }

  private func narrow(
    _ line: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>
  ) throws(Status) {
    let width = source.size.width
    guard let columns else {
      let result = ARGBScale(
        line, Int32(4 * width), Int32(width), 1, target, Int32(4 * self.target.width),
        Int32(self.target.width), 1,
        kFilterBilinear)
      return try PixelConverter.check(result, "scale the image")
    }
    columns.narrow(line, into: target)
  }
}
