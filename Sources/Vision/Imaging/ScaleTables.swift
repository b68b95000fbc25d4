import CPixelKernels
import FaceCore
import Synchronization

/// The tables for scaling pictures of one size and format to another size.
final class ScaleTables: Sendable {
  /// The taps by which rows of each plane become one.
  let rows: [ScaleTaps]
  let columns: ColumnTable
  private let key: Key

  private struct Key: Equatable {
    let size: PixelSize
    let target: PixelSize
    let format: PixelFormat
  }

  /// The last tables, the newest last: a camera's frames all need the same.
  private static let recent = Mutex<[ScaleTables]>([])
  private static let maxRecent = 4

  /// Returns the tables: bilinear down to half of the size; by area below that, where bilinear would ignore
  /// some of the pixels.
  static func of(_ size: PixelSize, to target: PixelSize, _ format: PixelFormat) -> ScaleTables {
    let key = Key(size: size, target: target, format: format)
    if let known = recent.withLock({ recent in recent.first { $0.key == key } }) { return known }
    let tables = ScaleTables(key)
    recent.withLock { recent in
      if recent.count == maxRecent { recent.removeFirst() }
      recent.append(tables)
    }
    return tables
  }

  private init(_ key: Key) {
    self.key = key
    let (size, target, format) = (key.size, key.target, key.format)
    let byArea = size.width >= 2 * target.width || size.height >= 2 * target.height
    let luma =
      byArea
      ? ScaleTaps.area(size.height, to: target.height) : .bilinear(size.height, to: target.height)
    rows = (0..<format.planeCount).map { format.rows(plane: $0, height: 2) == 1 ? luma.halved() : luma }
    columns = ColumnTable(
      byArea ? ScaleTaps.area(size.width, to: target.width) : .bilinearColumns(size.width, to: target.width),
      of: format, rounding: byArea ? 128 : 0, isAlike: byArea && size.width % target.width == 0)
  }
}

/// The table for narrowing rows, in the kernels' form.
struct ColumnTable {
  private let width: Int
  private let taps: Int
  private let bytesPerPixel: Int
  private let isReversed: Bool
  private let rounding: Int32
  private var firsts: [Int32] = []
  private var weights: [Int16]
  private let isAlike: Bool

  /// Returns whether rows of `format` are narrowed directly; others are converted to BGRA first.
  static func reads(_ format: PixelFormat) -> Bool {
    switch format {
    case .bgra, .rgba, .bgr, .rgb: true
    case .gray, .nv12, .nv21, .i420, .yuyv, .uyvy, .nv16: false
    }
  }

  /// - Parameter isAlike: whether all pixels have the same weights.
  init(_ columns: ScaleTaps, of format: PixelFormat, rounding: Int32, isAlike: Bool) {
    self.rounding = rounding
    bytesPerPixel = format == .bgr || format == .rgb ? 3 : 4
    isReversed = format == .rgba || format == .rgb
    width = columns.count
    self.isAlike = isAlike
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

  func narrow(_ row: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, _ kernels: pixel_kernels) {
    firsts.withUnsafeBufferPointer { firsts in
      weights.withUnsafeBufferPointer { weights in
        var narrowing = pixel_narrowing(
          row: row, bytes_per_pixel: Int32(bytesPerPixel), reversed: isReversed ? 1 : 0, rounding: rounding,
          width: Int32(width),
          taps: Int32(taps), firsts: firsts.baseAddress, weights: weights.baseAddress,
          alike: isAlike ? 1 : 0, columns: Int32(firsts.count),
          out: target)
        kernels.narrow(&narrowing)
      }
    }
  }
}
