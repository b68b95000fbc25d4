import CPixelKernels
import FaceCore

/// Scales pixels of any format down to BGRA, a row of the target at a time: the rows it is made of become one, that one
/// is made narrower, and converted before that where it is not of four or three bytes a pixel. So a frame is read once, and
/// what lies between stays in the processor's cache.
struct RowScaler: ~Copyable {
  private let source: ImageView
  private let target: PixelSize
  /// How rows of each plane become one.
  private let rows: [ScaleTaps]
  private let columns: ColumnTable
  private let kernels: pixel_kernels
  private let memory: HeapMemory
  /// One row of the source's format, of `memory`.
  private let mixed: ImageView
  private let mixedRows: [UnsafeMutablePointer<UInt8>]
  /// One row of BGRA pixels as wide as the source.
  private let converted: UnsafeMutablePointer<UInt8>

  /// Above the half bilinear; below, where that would look at some of the pixels only, by area.
  /// - Parameter target: no side above the source's.
  init(_ source: ImageView, to target: PixelSize) throws(Status) {
    self.source = source
    self.target = target
    let (size, format) = (source.size, source.format)
    let byArea = size.width >= 2 * target.width || size.height >= 2 * target.height
    let luma =
      byArea
      ? ScaleTaps.area(size.height, to: target.height) : .bilinear(size.height, to: target.height)
    rows = (0..<format.planeCount).map { format.rows(plane: $0, height: 2) == 1 ? luma.halved() : luma }
    columns = ColumnTable(
      byArea ? ScaleTaps.area(size.width, to: target.width) : .bilinearColumns(size.width, to: target.width),
      of: format, rounding: byArea ? 128 : 0)
    kernels = pixel_kernels_best()

    // Planes and the converted row, each with some bytes to spare, since whole registers are read.
    func room(_ bytes: Int) -> Int { ((bytes + 63) & ~63) + PIXEL_ROOM }
    let widths = (0..<format.planeCount).map { format.rowBytes(plane: $0, width: size.width) }
    let wholeRows = widths.map(room).reduce(0, +)
    memory = try HeapMemory(byteCount: wholeRows + room(4 * size.width))
    let start = memory.bytes.baseAddress.unsafelyUnwrapped
    var next = 0
    mixedRows = widths.map { width in
      defer { next += room(width) }
      return (start + next).bindMemory(to: UInt8.self, capacity: width)
    }
    converted = (start + wholeRows).bindMemory(to: UInt8.self, capacity: 4 * size.width)
    mixed = source.row(zip(mixedRows, widths).map { UnsafeRawBufferPointer(start: $0, count: $1) })
  }

  /// Throws what `token` throws, which is asked between rows.
  func scale(into bitmap: borrowing Bitmap, _ token: CancellationToken?) throws(Status) {
    guard let pixels = bitmap.pixels.baseAddress else { return }
    var pacer = WorkPacer(token)
    let read = source.size.width * source.size.height / target.height
    for row in 0..<target.height {
      for plane in 0..<rows.count { mix(plane, row) }
      if !ColumnTable.reads(source.format) {
        try PixelConverter.convert(mixed, into: converted, stride: 4 * source.size.width)
      }
      columns.narrow(
        ColumnTable.reads(source.format) ? mixedRows[0] : converted, into: pixels + row * bitmap.stride,
        kernels)
      try pacer.add(read)
    }
  }

  /// The rows of `plane` that row `row` of the target is made of, as one.
  private func mix(_ plane: Int, _ row: Int) {
    let from = source.plane(plane)
    rows[plane].withWeights(row) { weights in
      var mix = pixel_mix(
        first: (from.bytes.baseAddress.unsafelyUnwrapped + rows[plane].first(row) * from.stride)
          .assumingMemoryBound(to: UInt8.self),
        stride: from.stride, rows: Int32(weights.count), weights: weights.baseAddress,
        bytes: source.format.rowBytes(plane: plane, width: source.size.width), out: mixedRows[plane])
      kernels.mix(&mix)
    }
  }
}

/// How columns become fewer, in the kernels' form.
private struct ColumnTable {
  private let width: Int
  private let taps: Int
  private let bytesPerPixel: Int
  private let isReversed: Bool
  private let rounding: Int32
  private var firsts: [Int32] = []
  private var weights: [Int16]

  /// Whether rows of `format` become narrower as they are; others have to be BGRA first.
  static func reads(_ format: PixelFormat) -> Bool {
    switch format {
    case .bgra, .rgba, .bgr, .rgb: true
    case .gray, .nv12, .nv21, .i420, .yuyv: false
    }
  }

  init(_ columns: ScaleTaps, of format: PixelFormat, rounding: Int32) {
    self.rounding = rounding
    bytesPerPixel = format == .bgr || format == .rgb ? 3 : 4
    isReversed = format == .rgba || format == .rgb
    width = columns.count
    let longest = columns.longest
    taps = longest <= 2 ? 2 : (longest + 3) & ~3
    let group = PIXEL_GROUP
    let filled = (width + group - 1) / group * group
    weights = Array(repeating: 0, count: taps * filled)
    firsts.reserveCapacity(filled)
    for column in 0..<filled {
      let pixel = min(column, width - 1)
      firsts.append(Int32(columns.first(pixel) * bytesPerPixel))
      for (tap, weight) in columns.weights(pixel).enumerated() {
        weights[(tap / 2 * filled + column) * 2 + tap % 2] = Int16(weight)
      }
    }
  }

  func narrow(_ row: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, _ kernels: pixel_kernels)
  {
    firsts.withUnsafeBufferPointer { firsts in
      weights.withUnsafeBufferPointer { weights in
        var narrowing = pixel_narrowing(
          row: row, bytes_per_pixel: Int32(bytesPerPixel), reversed: isReversed ? 1 : 0, rounding: rounding,
          width: Int32(width),
          taps: Int32(taps), firsts: firsts.baseAddress, weights: weights.baseAddress,
          columns: Int32(firsts.count),
          out: target)
        kernels.narrow(&narrowing)
      }
    }
  }
}
