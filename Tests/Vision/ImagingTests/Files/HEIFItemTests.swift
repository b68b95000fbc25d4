import FaceCore
import Imaging
import TestSupport
import Testing

/// A HEIC or AVIF picture is made of items, which may use one another; the work that this takes is bounded
/// before a decoder begins.
@Suite struct HEIFItemTests {
  private func decoded(_ file: [UInt8]) throws(Status) -> Picture {
    try file.borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file).bitmap) }
  }

  private func problem(_ file: HEIFBytes) -> Status? {
    failure { () throws(Status) in _ = try decoded(file.bytes) }
  }

  private static func single(_ coded: HEIFBytes.Coded, _ brand: String) -> HEIFBytes {
    var file = HEIFBytes(brand: brand)
    _ = file.add(coded)
    return file
  }

  /// A phone's picture: a grid of tiles, with a thumbnail, metadata, and a gain map.
  private static func phone(_ coded: HEIFBytes.Coded, _ brand: String) -> HEIFBytes {
    var file = HEIFBytes(brand: brand)
    let (width, height) = coded.size
    let size = HEIFBytes.extents(8 * width - 5, 6 * height)
    let picture = file.add(
      "grid", HEIFBytes.grid(rows: 6, columns: 8, width: 8 * width - 5, height: 6 * height), [size])
    var tiles: [Int] = []
    for _ in 0..<48 { tiles.append(file.add(coded)) }
    file.refer("dimg", from: picture, to: tiles)
    file.refer("thmb", from: file.add(coded), to: [picture])
    file.refer("cdsc", from: file.add("Exif", [0, 0, 0, 0]), to: [picture])
    let map = HEIFBytes.box("auxC", [0, 0, 0, 0] + Array("urn:com:example:gainmap\0".utf8))
    let gain = file.add(
      "grid", HEIFBytes.grid(rows: 3, columns: 4, width: 4 * width, height: 3 * height),
      [HEIFBytes.extents(4 * width, 3 * height), map])
    file.refer("dimg", from: gain, to: Array(tiles.prefix(12)))
    file.refer("auxl", from: gain, to: [picture])
    return file
  }

  @Test(arguments: ["avif", "heic"])
  func aGridOfTilesIsDecoded(brand: String) throws {
    let coded = try brand == "avif" ? HEIFBytes.Coded.av1() : .hevc()
    let tile = try decoded(Self.single(coded, brand).bytes)
    let picture = try decoded(Self.phone(coded, brand).bytes)
    let (width, height) = coded.size
    let expected = Picture(8 * width - 5, 6 * height) { x, y in tile[x % width, y % height] }
    try #require(picture.size == expected.size)
    #expect(picture.distance(to: expected) <= 1)
  }

  @Test func anOverlayIsDecoded() throws {
    let coded = try HEIFBytes.Coded.av1()
    let tile = try decoded(Self.single(coded, "avif").bytes)
    var file = HEIFBytes()
    let places = [(x: 0, y: 0), (x: 60, y: 10), (x: 20, y: 50)]
    let picture = file.add(
      "iovl", HEIFBytes.overlay(width: 120, height: 90, at: places), [HEIFBytes.extents(120, 90)])
    let used = file.add(coded)
    file.refer("dimg", from: picture, to: [used, used, used])
    let expected = Picture(120, 90) { x, y in
      let place = places.last {
        (0..<tile.size.width).contains(x - $0.x) && (0..<tile.size.height).contains(y - $0.y)
      }
      return place.map { tile[x - $0.x, y - $0.y] } ?? RGB(255, 255, 255)
    }
    #expect(try decoded(file.bytes).distance(to: expected) <= 1)
  }

  @Test func anAlphaIsDecoded() throws {
    let coded = try HEIFBytes.Coded.av1()
    let tile = try decoded(Self.single(coded, "avif").bytes)
    var file = Self.single(coded, "avif")
    let alpha = file.add(coded, [HEIFBytes.alpha])
    file.refer("auxl", from: alpha, to: [1])
    let picture = try decoded(file.bytes)
    // The colours are partly white now: the picture's luma is its own alpha.
    #expect(picture.size == tile.size && picture != tile && picture[8, 4].red > tile[8, 4].red)
  }

  @Test func anIdentityAndAnOverlayOfGridsAreDecoded() throws {
    let coded = try HEIFBytes.Coded.av1()
    let tile = try decoded(Self.single(coded, "avif").bytes)
    var file = HEIFBytes()
    let (width, height) = (2 * tile.size.width, tile.size.height)
    let size = HEIFBytes.extents(width, height)
    let identity = file.add("iden", [], [size])
    let overlay = file.add(
      "iovl", HEIFBytes.overlay(width: width, height: height, at: [(x: 0, y: 0)]), [size])
    let grid = file.add("grid", HEIFBytes.grid(rows: 1, columns: 2, width: width, height: height), [size])
    let used = file.add(coded)
    file.refer("dimg", from: identity, to: [overlay])
    file.refer("dimg", from: overlay, to: [grid])
    file.refer("dimg", from: grid, to: [used, used])
    let expected = Picture(width, height) { x, y in tile[x % tile.size.width, y] }
    #expect(try decoded(file.bytes).distance(to: expected) <= 1)
  }

  /// An overlay of `count` references to one tile, which has `size` by its own header.
  private static func overlay(of count: Int, _ coded: HEIFBytes.Coded, _ size: (Int, Int)) -> HEIFBytes {
    var file = HEIFBytes()
    let picture = file.add(
      "iovl", HEIFBytes.overlay(width: 64, height: 64, at: Array(repeating: (x: 0, y: 0), count: count)),
      [HEIFBytes.extents(64, 64)])
    file.refer(
      "dimg", from: picture,
      to: Array(
        repeating: file.add(
          coded.type, coded.data, [HEIFBytes.extents(size.0, size.1), coded.configuration]),
        count: count))
    return file
  }

  @Test func pixelsAreCountedOnceForEachReference() throws {
    let coded = try HEIFBytes.Coded.av1()
    #expect(problem(Self.overlay(of: 7, coded, (2048, 2048)))?.code != .outOfRange)
    let refused = problem(Self.overlay(of: 400, coded, (2048, 2048)))
    #expect(refused?.code == .outOfRange)
    #expect(refused?.message.contains("its items have far more pixels than the picture") == true)
    #expect(refused?.message.contains("convert it to JPEG") == true)
  }

  @Test func referencesAreBounded() throws {
    let coded = try HEIFBytes.Coded.av1()
    #expect(problem(Self.overlay(of: 900, coded, (48, 32))) == nil)
    let refused = problem(Self.overlay(of: 1001, coded, (48, 32)))
    #expect(refused?.code == .outOfRange && refused?.message.contains("used too often") == true)
    let more = problem(Self.overlay(of: 60_000, coded, (48, 32)))
    #expect(more?.code == .outOfRange && more?.message.contains("references between items") == true)
  }

  /// The box claims 64², the AV1 sequence header has 16,384².
  @Test func sizesAreThoseOfTheCodedPicture() {
    // A reduced header of a still picture, its level, 14 bits for each side. Source: AV1, 5.5.1.
    var bits = "000" + "1" + "1" + "00000" + "1101" + "1101"
    bits += String(repeating: "1", count: 28) + String(repeating: "0", count: 24)
    let sequence = stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
      bits.dropFirst(start).prefix(8).reduce(UInt8(0)) { $0 << 1 | ($1 == "1" ? 1 : 0) }
    }
    let data: [UInt8] = [0x0A, UInt8(sequence.count)] + sequence + [0x32, 1, 0]
    let coded = HEIFBytes.Coded(
      type: "av01", size: (64, 64), data: data, configuration: HEIFBytes.box("av1C", [0x81, 0, 0x0C, 0]))
    #expect(problem(Self.single(coded, "avif"))?.code == .outOfRange)
  }

  /// The pictures before the last one are decoded too, and not shown.
  @Test func picturesInsideAnItemAreCounted() throws {
    let coded = try HEIFBytes.Coded.hevc()
    let many = HEIFBytes.Coded(
      type: coded.type, size: coded.size, data: Array(repeatElement(coded.data, count: 30_000).joined()),
      configuration: coded.configuration)
    #expect(problem(Self.single(many, "heic"))?.code == .outOfRange)
  }

  @Test func nestingIsBounded() throws {
    for count in [9, 900] {
      var file = HEIFBytes()
      for id in 1...count {
        _ = file.add("iden", [], [HEIFBytes.extents(48, 32)])
        file.refer("dimg", from: id, to: [id + 1])
      }
      _ = file.add(try .av1())
      let refused = problem(file)
      #expect(refused?.code == .outOfRange && refused?.message.contains("nested too deeply") == true)
    }
  }

  @Test func cyclesEnd() throws {
    var overlay = HEIFBytes()
    let place = HEIFBytes.overlay(width: 64, height: 64, at: [(x: 0, y: 0)])
    overlay.refer("dimg", from: overlay.add("iovl", place, [HEIFBytes.extents(64, 64)]), to: [1])
    var identities = HEIFBytes()
    for id in 1...2 {
      _ = identities.add("iden", [], [HEIFBytes.extents(64, 64)])
      identities.refer("dimg", from: id, to: [3 - id])
    }
    var alphas = HEIFBytes()
    for id in 1...2 {
      _ = alphas.add(try .av1(), [HEIFBytes.alpha])
      alphas.refer("auxl", from: id, to: [3 - id])
    }
    for file in [overlay, identities, alphas] { #expect(problem(file)?.code == .outOfRange) }
  }

  /// At such a reference libheif 1.15 ends the process.
  @Test(arguments: ["iovl", "iden", "grid"])
  func referencesToMissingItemsAreRefused(type: String) {
    var file = HEIFBytes()
    let data =
      type == "grid"
      ? HEIFBytes.grid(rows: 1, columns: 1, width: 64, height: 64)
      : HEIFBytes.overlay(width: 64, height: 64, at: [(x: 0, y: 0)])
    file.refer("dimg", from: file.add(type, data, [HEIFBytes.extents(64, 64)]), to: [2])
    #expect(problem(file)?.code == .invalidArgument)
  }

  @Test func transformationsAreBounded() throws {
    func turned(_ times: Int) throws -> HEIFBytes {
      var file = HEIFBytes()
      let turn = HEIFBytes.box("irot", [2])
      _ = file.add(try .av1(), Array(repeating: turn, count: times))
      return file
    }
    #expect(try problem(turned(2)) == nil)
    #expect(try problem(turned(200))?.code == .outOfRange)
  }

  /// The data of every item are read with the file's header.
  @Test func dataOfSeveralItemsAreBounded() throws {
    var file = HEIFBytes()
    _ = file.add(try .av1())
    for _ in 0..<100 { _ = file.add("Exif", [UInt8](repeating: 0, count: 10_000)) }
    var bytes = file.bytes
    #expect(try decoded(bytes).size == PixelSize(width: 48, height: 32))
    // Each of them is given all of the file.
    for start in bytes.indices.dropLast(4) where bytes[start..<start + 4] == [0, 0, 0x27, 0x10] {
      bytes.replaceSubrange(start - 4..<start + 4, with: HEIFBytes.big(0, 4) + HEIFBytes.big(bytes.count, 4))
    }
    let refused = failure { () throws(Status) in _ = try decoded(bytes) }
    #expect(refused?.code == .outOfRange && refused?.message.contains("share their data") == true)
  }

  @Test func itemsAreBounded() throws {
    var file = HEIFBytes()
    _ = file.add(try .av1())
    for _ in 0..<1000 { _ = file.add("Exif", [0]) }
    #expect(problem(file)?.code == .outOfRange)
  }

  /// A second reader could take the other one.
  @Test func repeatedBoxesAreRefused() throws {
    let file = Self.single(try .av1(), "avif").bytes
    let (head, rest) = (file.prefix(24), file.dropFirst(24))
    let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let twice = Array(head + rest.prefix(size) + rest)
    #expect(failure { () throws(Status) in _ = try decoded(twice) }?.code == .invalidArgument)
  }

  @Test func changedBytesNeverCrash() throws {
    let whole = try Self.phone(.av1(), "avif").bytes
    var generator = SeededGenerator(seed: 53)
    for _ in 0..<LongForm.choose(2000, short: 200) {
      var file = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        file[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      do throws(Status) {
        _ = try decoded(file)
      } catch {
        #expect([.invalidArgument, .outOfRange, .failedPrecondition].contains(error.code), "\(error)")
      }
    }
  }
}
