/// A directory of a TIFF file with a flat grey picture. Sources: TIFF 6.0; TIFF Technical Note 1 "SubIFD"; BigTIFF.
public struct TIFFPage: Sendable {
  /// Pixels a side; the grey is the same number.
  let side: Int
  /// Values that replace or add to those of an RGB picture.
  let tags: [Int: Int]
  /// The directories below it.
  let children: [TIFFPage]

  public init(_ side: Int, _ tags: [Int: Int] = [:], _ children: [TIFFPage] = []) {
    (self.side, self.tags, self.children) = (side, tags, children)
  }

  /// A file whose directories follow each other.
  public static func file(_ pages: [TIFFPage], isBig: Bool = false) -> [UInt8] {
    var file = Writer(isBig: isBig)
    let first = file.add(pages)
    file.bytes.replaceSubrange(isBig ? 8..<16 : 4..<8, with: Writer.little(first, isBig ? 8 : 4))
    return file.bytes
  }

  private struct Writer {
    var bytes: [UInt8]
    private let isBig: Bool
    private var wide: Int { isBig ? 8 : 4 }

    init(isBig: Bool) {
      self.isBig = isBig
      bytes = isBig ? [0x49, 0x49, 0x2B, 0, 8, 0, 0, 0] : [0x49, 0x49, 0x2A, 0]
      bytes += [UInt8](repeating: 0, count: wide)
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Returns the place of the first of a chain.
    mutating func add(_ pages: [TIFFPage]) -> Int {
      var (first, link) = (0, Int?.none)
      for page in pages {
        let (place, next) = add(page)
        if let link { bytes.replaceSubrange(link..<link + wide, with: Self.little(place, wide)) }
        if first == 0 { first = place }
        link = next
      }
      return first
    }

    /// Returns the place of the directory, and of its link to the next one.
    private mutating func add(_ page: TIFFPage) -> (place: Int, next: Int) {
      let data = bytes.count
      bytes += [UInt8](repeating: UInt8(page.side), count: 3 * page.side * page.side)
      if bytes.count % 2 == 1 { bytes.append(0) }
      var values = [
        256: page.side, 257: page.side, 258: 8, 259: 1, 262: 2, 273: data, 277: 3, 278: page.side,
        279: 3 * page.side * page.side,
      ]
      values.merge(page.tags) { $1 }
      if !page.children.isEmpty {
        values[330] = page.children.count == 1 ? add(page.children) : addEach(page.children)
      }
      let place = bytes.count
      bytes += Self.little(values.count, isBig ? 8 : 2)
      for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
        let count = tag == 330 ? max(page.children.count, 1) : tag == 50706 ? 4 : 1
        let type =
          switch tag {
          case 50706: 1
          case 258, 259, 262, 277: 3
          case 330 where isBig: 18
          default: 4
          }
        bytes += Self.little(tag, 2) + Self.little(type, 2)
        bytes += Self.little(count, wide) + Self.little(value, wide)
      }
      let next = bytes.count
      bytes += [UInt8](repeating: 0, count: wide)
      return (place, next)
    }

    /// Returns the place of the places of several directories.
    private mutating func addEach(_ pages: [TIFFPage]) -> Int {
      let places = pages.map { add($0).place }
      defer { bytes += places.flatMap { Self.little($0, wide) } }
      return bytes.count
    }
  }
}
