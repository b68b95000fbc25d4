import FaceCore
import Imaging
import TestSupport
import Testing

/// Four flat colours, one a quarter, as Tests/Fixtures/make_fixtures.py paints them.
@Suite struct JPEGTests {
  static let size = PixelSize(width: 48, height: 32)
  static let picture = Picture(48, 32) { x, y in
    switch (x < 24, y < 16) {
    case (true, true): RGB(220, 40, 40)
    case (false, true): RGB(40, 200, 60)
    case (true, false): RGB(50, 60, 210)
    case (false, false): RGB(235, 235, 225)
    }
  }

  /// Whole blocks are flat, so the only loss is that of the colour conversion: a few steps.
  static let tolerance = 4

  @Test(arguments: ["quarters.jpg", "quarters_progressive.jpg", "exif_6.jpg"])
  func colourIsAsPainted(name: String) throws {
    let picture = try Fixture.image(name).decoded()
    #expect(picture.size == Self.size)
    #expect(picture.distance(to: Self.picture) <= Self.tolerance)
  }

  /// Halved colour planes blur the border between quarters; their middles stay as painted.
  @Test func coarserColourIsAsPaintedAwayFromBorders() throws {
    Self.expectQuarters(try Fixture.image("quarters_420.jpg").decoded(), within: Self.tolerance)
  }

  static func expectQuarters(_ picture: Picture, within tolerance: Int) {
    #expect(picture.size == size)
    for (x, y) in [(8, 4), (40, 4), (8, 28), (40, 28)] {
      #expect(picture[x, y].distance(to: self.picture[x, y]) <= tolerance)
    }
  }

  /// Source: ITU-R BT.601, the weights of luma.
  @Test func grayIsTheLumaOfTheColours() throws {
    let expected = Picture(48, 32) { x, y in
      let colour = Self.picture[x, y]
      let luma = 0.299 * Double(colour.red) + 0.587 * Double(colour.green) + 0.114 * Double(colour.blue)
      let value = UInt8(luma.rounded())
      return RGB(value, value, value)
    }
    #expect(try Fixture.image("quarters_gray.jpg").decoded().distance(to: expected) <= Self.tolerance)
  }

  /// Amounts of ink are converted to the light that they leave.
  @Test(arguments: ["quarters_cmyk.jpg", "quarters_ycck.jpg"])
  func cmykIsConvertedToRGB(name: String) throws {
    #expect(try Fixture.image(name).decoded().distance(to: Self.picture) <= Self.tolerance)
  }

  /// Cameras leave stray bytes between the segments; libjpeg warns of them and reads on.
  @Test func strayBytesBetweenSegmentsDoNoHarm() throws {
    var file = try Fixture.image("quarters.jpg")
    let table = try #require(JPEGBytes.firstSegment(0xDB, in: file))
    file.insert(contentsOf: [0, 0, 0, 0], at: table)
    #expect(try file.decoded().distance(to: Self.picture) <= Self.tolerance)
  }

  /// A hand-made 4:4:1 file: the blocks of a 4:2:0 file, whose four luma blocks per unit now form one column.
  @Test func samplingOf441IsDecoded() throws {
    var file = try Fixture.image("quarters_420.jpg")
    let frame = try #require(JPEGBytes.firstSegment(0xC0, in: file))
    file.replaceSubrange(frame + 5..<frame + 9, with: [0, 64, 0, 24])  // 64 high, 24 wide
    file[frame + 11] = 0x14  // luma: one across, four down
    let picture = try file.decoded()
    // Units are 8×32 now: six of them were in two rows of three, and still are.
    #expect(picture.size == PixelSize(width: 24, height: 64))
    for (x, y, column, row) in [(4, 4, 0, 0), (20, 4, 47, 0), (4, 60, 0, 31), (20, 60, 47, 31)] {
      #expect(picture[x, y].distance(to: Self.picture[column, row]) <= Self.tolerance)
    }
  }

  /// A small file must not take minutes to decode: ten times the scans that a real encoder writes are
  /// refused.
  @Test func aFileWithThousandsOfScansIsRefused() throws {
    let file = try Fixture.image("quarters_progressive.jpg")
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: file))
    let next = try #require(JPEGBytes.firstMarker(after: scan + 2, in: file))
    let bomb = file[..<next] + Array(repeatElement(file[scan..<next], count: 2000).joined()) + file[next...]
    expectFailure(.invalidArgument, "; send the whole file, or save the picture again") {
      try Array(bomb).decoded()
    }
  }
}

/// Files that end before their end marker, which is two bytes.
extension JPEGTests {
  private static let names = [
    "quarters.jpg", "quarters_420.jpg", "quarters_gray.jpg", "quarters_cmyk.jpg", "quarters_ycck.jpg",
    "quarters_restarts.jpg",
    "quarters_scans.jpg", "quarters_progressive.jpg", "quarters_progressive_restarts.jpg",
  ]

  @Test(arguments: names)
  func aMissingEndMarkerCostsNothing(name: String) throws {
    let file = try Fixture.image(name)
    try #require(file.suffix(2) == [0xFF, 0xD9])
    let whole = try file.decoded()
    #expect(try file.dropLast(2).decoded() == whole)
    #expect(try file.dropLast().decoded() == whole)
    #expect(try (file.dropLast(2) + [0, 0, 0]).decoded() == whole)
  }

  @Test(arguments: names)
  func aFileWithoutItsLastPixelsIsRefused(name: String) throws {
    let file = try Fixture.image(name)
    for count in 3...file.count {
      expectFailure(.invalidArgument, comment: "without the last \(count) bytes") {
        try file.dropLast(count).decoded()
      }
    }
  }

  /// A photo has long scans, which libjpeg decodes in another way than the last blocks.
  @Test func aPhotoIsRefusedWithoutOneByteOfItsPixels() throws {
    let file = try Fixture.photo("grace_hopper.jpg")
    #expect(try file.dropLast(2).decoded() == file.decoded())
    for count in [3, 4, 5, 100, 10_000, file.count / 2] {
      expectFailure("Premature end of JPEG file", comment: "without \(count) bytes") {
        try file.dropLast(count).decoded()
      }
    }
  }

  /// Arithmetic coding leaves out bytes at the end of a scan, so a missing one cannot be told from that.
  @Test func arithmeticCodingNeedsItsEndMarker() throws {
    let file = try Fixture.image("quarters_arithmetic.jpg")
    #expect(try file.decoded().distance(to: Self.picture) <= Self.tolerance)
    expectFailure(.invalidArgument) { try file.dropLast(2).decoded() }
  }
}

extension JPEGTests {
  /// The advice is not what the file is already.
  @Test(arguments: [("quarters.jpg", 0xC0, false), ("quarters_progressive.jpg", 0xC2, true)])
  func aJPEGThatIsTooLargeToBeHeldIsToBeScaled(name: String, frame: Int, isProgressive: Bool) throws {
    var file = try Fixture.image(name)
    let place = try #require(JPEGBytes.firstSegment(UInt8(frame), in: file))
    file.replaceSubrange(place + 5..<place + 9, with: [0x30, 0, 0x30, 0])  // 12288×12288 pixels
    let status = failure { () throws(Status) in _ = try file.decoded() }
    #expect(status?.code == .outOfRange)
    #expect(status?.message.contains("as a JPEG file") == false)
    #expect(status?.message.hasSuffix("save it as a baseline JPEG, in one scan") == isProgressive)
  }
}

/// The places of segments and markers in a JPEG file.
enum JPEGBytes {
  /// The place of the first segment with `marker`.
  static func firstSegment(_ marker: UInt8, in file: [UInt8]) -> Int? {
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF {
      if file[place + 1] == marker { return place }
      place += 2 + Int(file[place + 2]) << 8 + Int(file[place + 3])
    }
    return nil
  }

  /// The place of the first marker at `start` or later; 0xFF 0x00 is data.
  static func firstMarker(after start: Int, in file: [UInt8]) -> Int? {
    file.indices.dropLast().first { $0 >= start && file[$0] == 0xFF && file[$0 + 1] != 0 }
  }
}
