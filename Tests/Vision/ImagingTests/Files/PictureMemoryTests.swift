import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// The memory that a picture takes while it is decoded and used.
@Suite struct PictureMemoryTests {
  /// Grants everything, and notes how much.
  private final class Meter: PictureMemory {
    struct Amounts {
      var now = 0
      var most = 0
      var waits = 0
    }

    private let amounts = Mutex(Amounts())
    /// Whether a share cannot grow.
    let isFull: Bool

    init(isFull: Bool = false) { self.isFull = isFull }

    var noted: Amounts { amounts.withLock { $0 } }

    func take(_ byteCount: Int, _: CancellationToken?) -> any PictureShare {
      amounts.withLock { amounts in
        // Two calls that wait while they hold a share could wait for each other.
        #expect(amounts.now == 0)
        amounts.waits += 1
      }
      return Share(byteCount, self)
    }

    func add(_ byteCount: Int) {
      amounts.withLock { amounts in
        amounts.now += byteCount
        amounts.most = max(amounts.most, amounts.now)
      }
    }
  }

  private final class Share: PictureShare {
    private(set) var byteCount: Int
    private let meter: Meter

    init(_ byteCount: Int, _ meter: Meter) {
      (self.byteCount, self.meter) = (byteCount, meter)
      meter.add(byteCount)
    }

    deinit { meter.add(-byteCount) }

    func resize(to byteCount: Int) -> Bool {
      guard byteCount <= self.byteCount || !meter.isFull else { return false }
      meter.add(byteCount - self.byteCount)
      self.byteCount = byteCount
      return true
    }
  }

  private func meter(
    _ file: [UInt8], isFull: Bool = false, _ use: (UprightImage) throws(Status) -> Void
  ) throws -> Meter {
    let meter = Meter(isFull: isFull)
    try file.borrowed { bytes throws(Status) in
      var input = ImageInput(.encoded(bytes))
      input.memory = meter
      try use(try UprightImage(input))
    }
    #expect(meter.noted.now == 0)
    return meter
  }

  /// Coefficients of a progressive JPEG take two bytes for each sample, with whole blocks.
  @Test(arguments: [
    ("rgb.png", 0), ("quarters_420.jpg", 0), ("quarters_progressive.jpg", 2), ("quarters_scans.jpg", 2),
    ("rgba.webp", 5),
    ("rgb.tiff", 8), ("quarters.heic", 12),
  ])
  func pictureTakesItsFileItsPixelsAndItsDecodersMemory(name: String, bytesPerPixel: Int) throws {
    let file = try Fixture.image(name)
    var pixels = 0
    let meter = try meter(file) { image throws(Status) in
      pixels = image.size.width * image.size.height
      _ = try image.networkInput(maxSide: 0, multiple: 1)
    }
    let copied = [".png", ".jpg"].contains { name.hasSuffix($0) } ? 0 : file.count
    let beside = meter.noted.most - copied - 4 * pixels
    #expect(
      bytesPerPixel == 0 ? beside == 0 : beside >= bytesPerPixel * pixels && beside <= 16 * pixels,
      "\(beside)")
    #expect(meter.noted.waits == 1)
  }

  @Test func jpegTakesWhatItsScaleNeedsAndCopiesCount() throws {
    let file = try Fixture.image("quarters_large.jpg")
    func most(_ use: (UprightImage) throws(Status) -> Void) throws -> Int {
      try meter(file, use).noted.most
    }
    let whole = try most { image throws(Status) in _ = try image.networkInput(maxSide: 0, multiple: 1) }
    let eighth = try most { image throws(Status) in _ = try image.networkInput(maxSide: 16, multiple: 1) }
    let copied = try most { image throws(Status) in _ = try image.whole() }
    #expect(eighth * 4 <= whole && copied == 2 * whole)
  }

  /// At a larger scale later, what it holds is released before it waits.
  @Test func aCallThatWaitsHoldsNothing() throws {
    let meter = try meter(try Fixture.image("quarters_large.jpg"), isFull: true) { image throws(Status) in
      _ = try image.networkInput(maxSide: 16, multiple: 1)
      _ = try image.networkInput(maxSide: 0, multiple: 1)
      _ = try image.networkInput(maxSide: 16, multiple: 1)
    }
    #expect(meter.noted.waits == 2)
  }
}
