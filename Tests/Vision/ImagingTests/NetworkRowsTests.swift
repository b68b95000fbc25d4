import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct NetworkRowsTests {
  private static let picture = Picture.noise(187, 93, seed: 4)

  private func withPicture(
    _ format: PixelFormat = .bgra, orientation: Orientation = .up,
    _ body: (UprightImage) throws(Status) -> Void
  ) throws {
    try Self.picture.withView(format, padding: 5) { view throws(Status) in
      try body(UprightImage(ImageInput(.pixels(view), orientation: orientation)))
    }
  }

  /// Both filters, with formats that are scaled directly and those that are converted first.
  @Test(arguments: PixelFormat.packed, [150, 90, 61])
  func rowsAreThoseOfTheNetworksInput(format: PixelFormat, maxSide: Int) throws {
    try withPicture(format) { picture throws(Status) in
      let whole = try picture.networkInput(maxSide: maxSide, multiple: 32)
      guard let rows = try picture.networkRows(maxSide: maxSide, multiple: 32) else {
        Issue.record("no rows of \(format)")
        return
      }
      #expect(rows.letterbox == whole.letterbox)
      var row = [UInt8](repeating: 0, count: whole.pixels.size.width * 4)
      for index in 0..<whole.pixels.size.height {
        try row.withUnsafeMutableBufferPointer { row throws(Status) in
          try rows.write(row: index, into: row.baseAddress!)
        }
        let expected = whole.pixels.bytes[
          index * whole.pixels.stride..<index * whole.pixels.stride + row.count]
        #expect(row.elementsEqual(expected), "row \(index)")
      }
    }
  }

  @Test func turnedOrUnscaledPicturesHaveNoRows() throws {
    try withPicture { picture throws(Status) in
      #expect(try picture.networkRows(maxSide: 0, multiple: 32) == nil)
      #expect(try picture.networkRows(maxSide: 187, multiple: 32) == nil)
    }
    for orientation in Orientation.allCases where orientation != .up {
      try withPicture(orientation: orientation) { picture throws(Status) in
        #expect(try picture.networkRows(maxSide: 64, multiple: 32) == nil)
      }
    }
  }

  /// For a narrow part, most of the memory around it would be fetched in vain.
  @Test func sourceOfRowsIsKnownExceptForRegions() throws {
    try Self.picture.withView(.bgr) { view throws(Status) in
      #expect(
        try UprightImage(ImageInput(.pixels(view))).networkRows(maxSide: 64, multiple: 32)?.source.count
          == view.bytes.count)
      var image = ImageInput(.pixels(view))
      image.region = Box(x: 20, y: 10, width: 80, height: 80)
      #expect(
        try UprightImage(image).networkRows(maxSide: 64, multiple: 32)?.source.isEmpty == true)
    }
  }

  @Test func rowsCountAsConversionTime() throws {
    try Self.picture.withView(.bgr) { view throws(Status) in
      var image = ImageInput(.pixels(view))
      var time: TimeSpan = 0
      let clock = StageClock {
        time += 1
        return time
      }
      image.clock = clock
      let picture = try UprightImage(image)
      guard let rows = try picture.networkRows(maxSide: 64, multiple: 32) else { return }
      _ = clock.takeTimes()
      clock.begin(.network)
      var row = [UInt8](repeating: 0, count: 64 * 4)
      try row.withUnsafeMutableBufferPointer { row throws(Status) in
        for index in 0..<3 { try rows.write(row: index, into: row.baseAddress!) }
      }
      clock.end()
      let times = clock.takeTimes()
      #expect(times[.convert] == 3)
      #expect(times[.network] == 4)
    }
  }
}
