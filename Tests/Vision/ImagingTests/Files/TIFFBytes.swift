/// A TIFF file without compression whose directory is made here. Source: TIFF 6.0.
struct TIFFBytes {
  enum Tag: Int {
    case width = 256
    case height, bits, compression
    case colours = 262
    case stripOffsets = 273
    case samples = 277
    case rowsOfStrip, stripSizes
    case planes = 284
    case tileWidth = 322
    case tileHeight, tileOffsets, tileSizes
    case inks = 332
    case extraSamples = 338
  }

  enum Colours: Int {
    case rgb = 2
    case inks = 5
  }

  private var entries: [(tag: Int, isLong: Bool, values: [Int])] = []
  private let data: [UInt8]

  /// A picture without strips or tiles.
  init(_ width: Int, _ height: Int, samples: Int = 3, colours: Colours = .rgb, data: [UInt8]) {
    self.data = data
    set(.width, [width])
    set(.height, [height])
    set(.bits, Array(repeating: 8, count: samples), isLong: false)
    set(.compression, [1], isLong: false)
    set(.colours, [colours.rawValue], isLong: false)
    set(.samples, [samples], isLong: false)
    if colours == .rgb, samples > 3 {
      // The first is alpha, by which colours are not multiplied.
      set(.extraSamples, [2] + Array(repeating: 0, count: samples - 4), isLong: false)
    }
  }

  /// The place of `data` in the file.
  static let start = 8

  mutating func set(_ tag: Tag, _ values: [Int], isLong: Bool = true) {
    entries.removeAll { $0.tag == tag.rawValue }
    add(tag.rawValue, values, isLong: isLong)
  }

  mutating func add(_ tag: Int, _ values: [Int], isLong: Bool = true) {
    entries.append((tag, isLong, values))
  }

  /// One strip, of all of the data.
  mutating func setStrip(rows: Int) {
    set(.rowsOfStrip, [rows])
    set(.stripOffsets, [Self.start])
    set(.stripSizes, [data.count])
  }

  var bytes: [UInt8] {
    let directory = Self.start + data.count + data.count % 2
    var later = directory + 2 + 12 * entries.count + 4
    var (table, rest): ([UInt8], [UInt8]) = ([], [])
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      var value = entry.values.flatMap { Self.little($0, entry.isLong ? 4 : 2) }
      if value.count > 4 {
        rest += value
        later += value.count
        value = Self.little(later - value.count, 4)
      }
      table += Self.little(entry.tag, 2) + Self.little(entry.isLong ? 4 : 3, 2)
      table += Self.little(entry.values.count, 4) + value
      table += [UInt8](repeating: 0, count: 4 - value.count)
    }
    return [0x49, 0x49, 0x2A, 0] + Self.little(directory, 4) + data
      + [UInt8](repeating: 0, count: data.count % 2) + Self.little(entries.count, 2) + table
      + Self.little(0, 4) + rest
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
