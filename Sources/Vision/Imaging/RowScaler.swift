import CPixelKernels
import FaceCore

/// Scales pixels of any format down to BGRA, a row of the target at a time: the source rows are mixed into
/// one, which is then narrowed, and before that converted unless it has four or three bytes a pixel. So a
/// frame is read once, and intermediate results stay in the processor's cache.
struct RowScaler: ~Copyable {
  private let source: ImageView
  private let target: PixelSize
  private let tables: ScaleTables
  private let kernels: pixel_kernels
  private let memory: HeapMemory
  /// One row of the source's format, in `memory`.
  private let mixed: ImageView
  private let mixedRows: [UnsafeMutablePointer<UInt8>]
  /// One row of BGRA pixels as wide as the source.
  private let converted: UnsafeMutablePointer<UInt8>

  /// - Parameter target: no side above the source's.
  init(_ source: ImageView, to target: PixelSize) throws(Status) {
    let (size, format) = (source.size, source.format)

    // Room for planes and the converted row, each with some spare bytes because whole registers are read.
    func room(_ bytes: Int) -> Int { ((bytes + 63) & ~63) + PIXEL_ROOM }
    let widths = (0..<format.planeCount).map { format.rowBytes(plane: $0, width: size.width) }
    let wholeRows = widths.map(room).reduce(0, +)
    // Before any member is set: Swift 6.2 would have an error destroy members that were not.
    memory = try HeapMemory(byteCount: wholeRows + room(4 * size.width))
    self.source = source
    self.target = target
    tables = .of(size, to: target, format)
    kernels = pixel_kernels_best()
    let start = memory.bytes.baseAddress.unsafelyUnwrapped
    var next = 0
    mixedRows = widths.map { width in
      defer { next += room(width) }
      return (start + next).bindMemory(to: UInt8.self, capacity: width)
    }
    converted = (start + wholeRows).bindMemory(to: UInt8.self, capacity: 4 * size.width)
    mixed = source.row(zip(mixedRows, widths).map { UnsafeRawBufferPointer(start: $0, count: $1) })
  }

  /// Throws the error of `token`, which is checked between rows.
  func scale(into bitmap: borrowing Bitmap, _ token: CancellationToken?) throws(Status) {
    guard let pixels = bitmap.pixels.baseAddress else { return }
    var pacer = WorkPacer(token)
    let read = source.size.width * source.size.height / target.height
    for row in 0..<target.height {
      try write(row: row, into: pixels + row * bitmap.stride)
      try pacer.add(read)
    }
  }

  /// Writes row `row` of the target. One thread at a time.
  /// - Parameter isFirstPlaneFetched: whether the caller ensures that it is in the cache.
  func write(
    row: Int, into pixels: UnsafeMutablePointer<UInt8>, isFirstPlaneFetched: Bool = false
  ) throws(Status) {
    precondition((0..<target.height).contains(row))
    for plane in 0..<tables.rows.count { mix(plane, row, fetchesNext: plane > 0 || !isFirstPlaneFetched) }
    if !ColumnTable.reads(source.format) {
      try PixelConverter.convert(mixed, into: converted, stride: 4 * source.size.width)
    }
    tables.columns.narrow(ColumnTable.reads(source.format) ? mixedRows[0] : converted, into: pixels, kernels)
  }

  /// Mixes the rows of `plane` for row `row` of the target into one.
  private func mix(_ plane: Int, _ row: Int, fetchesNext: Bool) {
    let from = source.plane(plane)
    func line(_ index: Int) -> UnsafePointer<UInt8> {
      (from.bytes.baseAddress.unsafelyUnwrapped + index * from.stride).assumingMemoryBound(to: UInt8.self)
    }
    let lines = tables.rows[plane].range(row)
    // The rows for the target's next row that are not among them.
    let next =
      row + 1 < target.height ? max(lines.upperBound, tables.rows[plane].first(row + 1)) : lines.upperBound
    let end = row + 1 < target.height ? max(next, tables.rows[plane].range(row + 1).upperBound) : next
    tables.rows[plane].withWeights(row) { weights in
      var mix = pixel_mix(
        first: line(lines.lowerBound), stride: from.stride, rows: Int32(lines.count),
        weights: weights.baseAddress,
        bytes: source.format.rowBytes(plane: plane, width: source.size.width), out: mixedRows[plane],
        next: fetchesNext && next < end ? line(next) : nil, next_rows: fetchesNext ? Int32(end - next) : 0)
      kernels.mix(&mix)
    }
  }
}
