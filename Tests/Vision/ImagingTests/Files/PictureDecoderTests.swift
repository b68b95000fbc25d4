import CPictureDecoders
import FaceCore
import Imaging
import TestSupport
import Testing

/// Decoders poll whether to go on, and their work between two polls is bounded.
@Suite struct PictureDecoderTests {
  /// The caller of a decoder, which stops it at the `last`th poll.
  private final class Caller {
    let last: Int
    var questions = 0

    init(stoppingAt last: Int) { self.last = last }
  }

  private struct Outcome {
    let status: picture_status
    let reason: String
    let questions: Int
    /// The pixels that were written.
    let pixels: Int
    let size: PixelSize
  }

  private func decode(_ file: [UInt8], _ kind: picture_kind, stoppingAt last: Int = .max) -> Outcome {
    let caller = Caller(stoppingAt: last)
    let raw = picture_caller(
      keep_going: { context in
        guard let context else { return false }
        let caller = Unmanaged<Caller>.fromOpaque(context).takeUnretainedValue()
        caller.questions += 1
        return caller.questions < caller.last
      }, context: Unmanaged.passUnretained(caller).toOpaque())
    var decoder = picture_decoder()
    return withExtendedLifetime(caller) {
      file.withUnsafeBytes { bytes in
        var status = picture_open(&decoder, kind, bytes.baseAddress, bytes.count, raw)
        defer { picture_close(&decoder) }
        let size = PixelSize(width: Int(decoder.width), height: Int(decoder.height))
        // No decoded pixel has an alpha of 1.
        var pixels = [UInt32](repeating: 0x0100_0000, count: size.width * size.height)
        if status == PICTURE_DONE {
          status = pixels.withUnsafeMutableBytes {
            picture_decode(
              &decoder, picture_form(eighths: 8, keeps_alpha: false, keeps_profile: false),
              $0.bindMemory(to: UInt8.self).baseAddress, 4 * size.width)
          }
        }
        let reason = withUnsafeBytes(of: decoder.reason) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Outcome(
          status: status, reason: reason, questions: caller.questions,
          pixels: pixels.count { $0 != 0x0100_0000 }, size: size)
      }
    }
  }

  private static let step = Int(PICTURE_STEP)

  private static let png: [UInt8] = {
    let row = [0] + [UInt8](repeating: 90, count: 3 * 1024)
    return PNGBytes.storing(Array(repeatElement(row, count: 1024).joined()), width: 1024, height: 1024)
  }()

  private static let jpeg: [UInt8] = {
    let bytes = [UInt8](repeating: 90, count: 4 * 2048 * 1024)
    return bytes.withUnsafeBufferPointer { bytes in
      var file: UnsafeMutablePointer<UInt8>?
      var (size, description) = (0, picture_description())
      let pixels = picture_pixels(
        bgra: bytes.baseAddress, width: 2048, height: 1024, stride: 4 * 2048, has_alpha: false)
      guard picture_encode_jpeg(pixels, &description, 90, &file, &size) == PICTURE_DONE else { return [] }
      defer { file?.deallocate() }
      return Array(UnsafeBufferPointer(start: file, count: size))
    }
  }()

  @Test(arguments: [(Self.png, PICTURE_PNG), (Self.jpeg, PICTURE_JPEG)])
  func decoderStopsAtAnyPoll(file: [UInt8], kind: picture_kind) {
    let whole = decode(file, kind)
    #expect(whole.status == PICTURE_DONE)
    #expect(whole.pixels == whole.size.width * whole.size.height)
    #expect(whole.questions >= whole.pixels / Self.step)
    let step = LongForm.choose(1, short: 7)
    for last in Array(stride(from: 1, to: whole.questions, by: step)) + [whole.questions] {
      let stopped = decode(file, kind, stoppingAt: last)
      #expect(stopped.status == PICTURE_STOPPED)
      #expect(stopped.questions == last)
      // A row of blocks may be decoded already.
      #expect(stopped.pixels <= last * Self.step + 16 * stopped.size.width)
    }
  }

  /// Every scan covers the whole picture, though no pixel is written.
  @Test func decoderPollsBetweenScans() throws {
    let file = try Fixture.image("quarters_progressive.jpg")
    let scan = try #require(JPEGBytes.firstSegment(0xDA, in: file))
    let next = try #require(JPEGBytes.firstMarker(after: scan + 2, in: file))
    let scans = 400
    let long =
      file[..<next] + Array(repeatElement(file[scan..<next], count: scans).joined()) + file[next...]
    let whole = decode(Array(long), PICTURE_JPEG)
    #expect(whole.questions >= scans * whole.size.width * whole.size.height / 4 / Self.step)
    #expect(whole.questions > 1)
    let stopped = decode(Array(long), PICTURE_JPEG, stoppingAt: 1)
    #expect(stopped.status == PICTURE_STOPPED && stopped.pixels == 0)
  }

  /// These bytes produce no pixels.
  @Test func decoderPollsBetweenSegments() throws {
    var file = try Fixture.image("quarters.jpg")
    let table = try #require(JPEGBytes.firstSegment(0xDB, in: file))
    file.insert(contentsOf: [UInt8](repeating: 0, count: 8 * Self.step), at: table)
    let whole = decode(file, PICTURE_JPEG)
    #expect(whole.status == PICTURE_DONE)
    #expect(whole.questions >= 8)
    #expect(decode(file, PICTURE_JPEG, stoppingAt: 3).status == PICTURE_STOPPED)
  }

  /// Texts are skipped, not inflated.
  @Test func decoderPollsBetweenChunks() throws {
    let file = try PNGBytes.inserting("tEXt", [UInt8](repeating: 65, count: 4 * Self.step), into: "rgb.png")
    let whole = decode(file, PICTURE_PNG)
    #expect(whole.status == PICTURE_DONE)
    #expect(whole.questions >= 4)
    #expect(decode(file, PICTURE_PNG, stoppingAt: 2).status == PICTURE_STOPPED)
  }

  /// The excess is found without reading it.
  @Test func dataThatRunsOnAfterTheLastRowIsRefused() {
    let rows = [UInt8](repeating: 0, count: 64 * (1 + 3 * 64))
    let outcome = decode(
      PNGBytes.storing(rows, width: 64, height: 64, rest: 16 * Self.step), PICTURE_PNG)
    #expect(outcome.status == PICTURE_DAMAGED)
    #expect(outcome.reason == "its data runs on beyond what its rows need")
    #expect(outcome.questions <= 2)
    // Some encoders leave a few bytes.
    #expect(
      decode(PNGBytes.storing(rows, width: 64, height: 64, rest: 400), PICTURE_PNG).status == PICTURE_DONE)
  }

  @Test func cancellationTokenEndsADecode() throws {
    let canceller = Canceller()
    canceller.cancel()
    for file in [Self.png, Self.jpeg] {
      let ended = failure { () throws(Status) in
        try file.borrowed { (file) throws(Status) in
          _ = try ImageDecoder.decode(file, CancellationToken(canceller: canceller))
        }
      }
      #expect(ended == Canceller.status)
    }
  }
}
