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

  /// Above the half bilinear; below, where that would look at some of the pixels only, by area.
  /// - Parameter target: no side above the source's.
  init(_ source: ImageView, to target: PixelSize) throws(Status) {
    self.source = source
    self.target = target
    let size = source.size
    let byArea = size.width >= 2 * target.width || size.height >= 2 * target.height
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
    let last = weights.endIndex - 1
    switch weights.count {
    case 1:
      mixed.update(from: first, count: width)
    case 2 where weights[last] == 256:
      mixed.update(from: first + from.stride, count: width)
    case 2:
      // Fails only for rows without pixels. (Nothing here may throw: Swift 6.3 forgets the register for the error where a
      // function that can throw ends with a copy of memory.)
      _ = InterpolatePlane(
        first, 0, first + from.stride, 0, mixed, 0, Int32(width), 1, Int32(weights[last]))
    default:
      Rows.start(first, weights[weights.startIndex], sums, width)
      var line = first
      for weight in weights.dropFirst().dropLast() {
        line += from.stride
        Rows.add(line, weight, to: sums, width)
      }
      Rows.finish(sums, line + from.stride, weights[last], into: mixed, width)
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

/// Rows of bytes weighed and summed: loops that the compiler turns into SIMD, for which everything but the rows has to be
/// a plain number. Weights are 256ths and sum to 256, so that sums fit 16 bits.
private enum Rows {
  static func start(
    _ line: UnsafePointer<UInt8>, _ weight: UInt16, _ sums: UnsafeMutablePointer<UInt16>, _ width: Int
  ) {
    for index in 0..<width { sums[index] = UInt16(line[index]) &* weight &+ 128 }
  }

  static func add(
    _ line: UnsafePointer<UInt8>, _ weight: UInt16, to sums: UnsafeMutablePointer<UInt16>, _ width: Int
  ) {
    for index in 0..<width { sums[index] &+= UInt16(line[index]) &* weight }
  }

  static func finish(
    _ sums: UnsafePointer<UInt16>, _ line: UnsafePointer<UInt8>, _ weight: UInt16,
    into mixed: UnsafeMutablePointer<UInt8>, _ width: Int
  ) {
    for index in 0..<width {
      mixed[index] = UInt8(truncatingIfNeeded: (sums[index] &+ UInt16(line[index]) &* weight) >> 8)
    }
  }
}

/// The filter taps of each pixel of a shorter row or column: the source pixels it is made of and their weights, 256ths that
/// sum to 256.
struct ScaleTaps {
  private var firsts: [Int] = []
  private var starts: [Int] = [0]
  private var allWeights: [UInt16] = []

  var count: Int { firsts.count }
  /// The first source pixel of target pixel `index`.
  func first(_ index: Int) -> Int { firsts[index] }

  /// The weights of it and the pixels after it.
  func weights(_ index: Int) -> ArraySlice<UInt16> { allWeights[starts[index]..<starts[index + 1]] }

  /// - Parameters:
  ///   - count: of target pixels.
  ///   - weights: of all of them, about.
  private init(count: Int, weights: Int) {
    firsts.reserveCapacity(count)
    starts.reserveCapacity(count + 1)
    allWeights.reserveCapacity(weights)
  }

  /// Adds a target pixel, which is made of source pixels from `first` on.
  private mutating func appendPixel(from first: Int) {
    firsts.append(first)
    starts.append(allWeights.count)
  }

  /// Adds the weight of the next source pixel.
  private mutating func append(weight: UInt16) {
    allWeights.append(weight)
    starts[firsts.count] = allWeights.count
  }

  /// The mean of what each target pixel covers, source pixels at its rim counted by the part covered: thin detail turns
  /// into its mean instead of into stripes that were not there.
  static func area(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: side + target)
    for index in 0..<target {
      // In whole numbers, source pixels being `target` long, so that neighbours meet exactly.
      let (start, end) = (index * side, (index + 1) * side)
      let first = start / target
      taps.appendPixel(from: first)
      var before = 0
      for pixel in first...(end - 1) / target {
        let covered = min(end, (pixel + 1) * target) - start
        let upTo = (covered * 256 + side / 2) / side
        taps.append(weight: UInt16(upTo - before))
        before = upTo
      }
    }
    return taps
  }

  /// The two pixels on either side of a target pixel's middle.
  static func bilinear(_ side: Int, to target: Int) -> ScaleTaps {
    var taps = ScaleTaps(count: target, weights: 2 * target)
    for index in 0..<target {
      // In 256ths of a source pixel, from the middle of the first one.
      let place = ((2 * index + 1) * side * 128 + target / 2) / target - 128
      let inside = min(max(place, 0), (side - 1) * 256)
      let part = UInt16(inside % 256)
      taps.appendPixel(from: inside / 256)
      taps.append(weight: 256 - part)
      if part > 0 { taps.append(weight: part) }
    }
    return taps
  }

  /// The same for rows of which each stands for two of these.
  func halved() -> ScaleTaps {
    var taps = ScaleTaps(count: count, weights: allWeights.count)
    for index in 0..<count {
      let first = firsts[index]
      taps.appendPixel(from: first / 2)
      for (offset, weight) in weights(index).enumerated() {
        if offset == 0 || (first + offset) % 2 == 0 {
          taps.append(weight: weight)
        } else {
          taps.allWeights[taps.allWeights.count - 1] += weight
        }
      }
    }
    return taps
  }

  /// Makes a row of BGRA pixels narrower.
  func narrow(_ line: UnsafePointer<UInt8>, into target: UnsafeMutableRawPointer) {
    firsts.withUnsafeBufferPointer { firsts in
      starts.withUnsafeBufferPointer { starts in
        allWeights.withUnsafeBufferPointer { weights in
          var next = 0
          for column in 0..<firsts.count {
            var sum: UInt64 = 0
            var place = firsts[column]
            let end = starts[column &+ 1]
            while next < end {
              sum &+= PixelLanes.load(line, place) &* UInt64(weights[next])
              place &+= 1
              next &+= 1
            }
            target.storeBytes(of: PixelLanes.pixel(sum), toByteOffset: 4 &* column, as: UInt32.self)
          }
        }
      }
    }
  }
}

/// The four channels of a BGRA pixel side by side in one word, 16 bits each, so that they are multiplied at once.
///
/// Weights are 256ths and sum to 256, so no part runs over into the next.
enum PixelLanes {
  @inline(__always)
  static func load(_ line: UnsafePointer<UInt8>, _ column: Int) -> UInt64 {
    let pixel = UnsafeRawPointer(line).loadUnaligned(fromByteOffset: column * 4, as: UInt32.self)
    let wide = UInt64(pixel)
    return wide & 0x00FF_00FF | (wide & 0xFF00_FF00) << 24
  }

  /// The pixel of a sum of weighted ones.
  @inline(__always)
  static func pixel(_ sum: UInt64) -> UInt32 {
    let rounded = sum &+ 0x0080_0080_0080_0080
    return UInt32(truncatingIfNeeded: rounded >> 8 & 0x00FF_00FF | rounded >> 32 & 0xFF00_FF00)
  }
}
