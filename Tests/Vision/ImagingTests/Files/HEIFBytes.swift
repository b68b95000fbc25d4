import TestSupport

/// A HEIF file of items that are made here, around the coded picture of quarters.avif or quarters.heic.
/// Sources: ISO/IEC 14496-12 (boxes), ISO/IEC 23008-12 (items).
struct HEIFBytes {
  private struct Item {
    let id: Int
    let type: String
    let data: [UInt8]
    let properties: [Int]
  }

  private struct Reference {
    let type: String
    let from: Int
    let to: [Int]
  }

  /// The coded picture of a fixture, whose right and lower edges may lie outside of what the fixture shows.
  struct Coded {
    let type: String
    let size: (width: Int, height: Int)
    let data: [UInt8]
    let configuration: [UInt8]

    static func av1() throws -> Coded {
      let file = try Fixture.image("quarters.avif")
      return Coded(
        type: "av01", size: (48, 32), data: try content("mdat", of: file),
        configuration: box("av1C", try content("av1C", of: file)))
    }

    static func hevc() throws -> Coded {
      let file = try Fixture.image("quarters.heic")
      return Coded(
        type: "hvc1", size: (64, 64), data: try content("mdat", of: file),
        configuration: box("hvcC", try content("hvcC", of: file)))
    }

    /// The content of the first box whose type is `type`.
    private static func content(_ type: String, of file: [UInt8]) throws -> [UInt8] {
      let name = Array(type.utf8)
      guard let place = (4..<file.count - 4).first(where: { file[$0..<$0 + 4].elementsEqual(name) }) else {
        throw MissingBox(type: type)
      }
      let size = file[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
      return Array(file[place + 4..<place - 4 + size])
    }

    private struct MissingBox: Error { let type: String }
  }

  private var items: [Item] = []
  private var references: [Reference] = []
  private var properties: [[UInt8]] = []
  private let brand: String

  init(brand: String = "avif") { self.brand = brand }

  /// Adds an item and returns its id; the first one is the picture.
  mutating func add(_ type: String, _ data: [UInt8], _ contents: [[UInt8]] = []) -> Int {
    let numbers = contents.map { content in
      if let index = properties.firstIndex(of: content) { return index + 1 }
      properties.append(content)
      return properties.count
    }
    items.append(Item(id: items.count + 1, type: type, data: data, properties: numbers))
    return items.count
  }

  mutating func add(_ coded: Coded, _ more: [[UInt8]] = []) -> Int {
    add(
      coded.type, coded.data, [Self.extents(coded.size.width, coded.size.height), coded.configuration] + more)
  }

  mutating func refer(_ type: String, from: Int, to: [Int]) {
    references.append(Reference(type: type, from: from, to: to))
  }

  /// The boxes before the data have the same size wherever the data are.
  var bytes: [UInt8] {
    let file = Self.box("ftyp", Array((brand + "\0\0\0\0mif1" + brand).utf8))
    let start = file.count + meta(dataAt: 0).count + 8
    return file + meta(dataAt: start) + Self.box("mdat", items.flatMap(\.data))
  }

  private func meta(dataAt start: Int) -> [UInt8] {
    let infos = items.map {
      Self.box("infe", [2, 0, 0, 0] + Self.big($0.id, 2) + [0, 0] + Array($0.type.utf8) + [0])
    }
    var place = start
    var places: [UInt8] = []
    for item in items {
      places += Self.big(item.id, 2) + [0, 0, 0, 1] + Self.big(place, 4) + Self.big(item.data.count, 4)
      place += item.data.count
    }
    let associations = items.flatMap {
      Self.big($0.id, 2) + [UInt8($0.properties.count)] + $0.properties.flatMap { Self.big($0, 2) }
    }
    let named = references.flatMap {
      Self.box(
        $0.type, Self.big($0.from, 2) + Self.big($0.to.count, 2) + $0.to.flatMap { Self.big($0, 2) })
    }
    return Self.box(
      "meta",
      [0, 0, 0, 0] + Self.box("hdlr", Self.big(0, 8) + Array("pict".utf8) + Self.big(0, 13))
        + Self.box("pitm", [0, 0, 0, 0, 0, 1])
        + Self.box("iloc", [0, 0, 0, 0, 0x44, 0] + Self.big(items.count, 2) + places)
        + Self.box("iinf", [0, 0, 0, 0] + Self.big(items.count, 2) + infos.flatMap { $0 })
        + Self.box(
          "iprp",
          Self.box("ipco", properties.flatMap { $0 })
            + Self.box("ipma", [0, 0, 0, 1] + Self.big(items.count, 4) + associations))
        + (named.isEmpty ? [] : Self.box("iref", [0, 0, 0, 0] + named)))
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(8 + content.count, 4) + Array(type.utf8) + content
  }

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  static func extents(_ width: Int, _ height: Int) -> [UInt8] {
    box("ispe", [0, 0, 0, 0] + big(width, 4) + big(height, 4))
  }

  static let alpha = box(
    "auxC", [0, 0, 0, 0] + Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))

  static func grid(rows: Int, columns: Int, width: Int, height: Int) -> [UInt8] {
    [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 2) + big(height, 2)
  }

  /// On white.
  static func overlay(width: Int, height: Int, at places: [(x: Int, y: Int)]) -> [UInt8] {
    [0, 0] + [UInt8](repeating: 0xFF, count: 8) + big(width, 2) + big(height, 2)
      + places.flatMap { big($0.x, 2) + big($0.y, 2) }
  }
}
