import Client
import FaceCore
import Imaging
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// The client keeps the picture of a guided check: it shows the best frame, pixel for pixel, whatever has
/// happened to that frame's memory since.
@Suite struct RemoteStreamPictureTests {
  /// The place of a frame's pixels.
  enum Place: CaseIterable {
    case message
    case shared
    /// The caller's memory, which the engine reads.
    case named
  }

  private let check = adjusted(CheckOptions()) { $0.cropSize = 64 }

  /// Noise whose first byte is `mark`, turned and mirrored.
  private func image(
    _ mark: UInt8, _ format: PixelFormat, _ size: PixelSize, in bytes: UnsafeMutableRawBufferPointer
  ) throws -> ImageInput {
    for index in bytes.indices { bytes[index] = mark &+ UInt8(truncatingIfNeeded: index &* index >> 7) }
    let stride = format.rowBytes(plane: 0, width: size.width) + 16
    var image = ImageInput(
      .pixels(
        try ImageView(
          format: format, width: size.width, height: size.height, stride: stride, colour: .bt709Video,
          bytes: UnsafeRawBufferPointer(bytes))),
      orientation: .right)
    image.isMirrored = true
    return image
  }

  private func expectThat(_ event: FrameEvent?, shows image: ImageInput) throws {
    let result = try #require(event?.check?.results.first)
    let taken = try TakenPicture(try UprightImage(image, willCrop: true))
    #expect(result == (try result.showing(taken, check)))
    #expect(result.picture.form == .bgra && result.crop.form == .bgra && result.crop.size.width == 64)
  }

  @Test(arguments: PixelFormat.allCases, Place.allCases)
  func resultShowsThePixelsOfTheBestFrame(format: PixelFormat, place: Place) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every, check: check))
    let size = place == .message ? PixelSize(width: 41, height: 31) : PixelSize(width: 401, height: 301)
    let shared = try ClientMemory(size: 1 << 20)
    let own = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { own.deallocate() }
    let memory = place == .named ? shared.bytes : own
    // The second frame is the best, and is gone by the time of the third.
    for mark in 1...3 as ClosedRange<UInt8> {
      let image = try image(mark, format, size, in: memory)
      _ = try stream.submit(HeldImage(image) {}, timestamp: 0)
      #expect(served.log.wait(for: Int(mark)).last?.check?.isBest == (mark == 2))
    }
    try expectThat(served.log.events.last, shows: try image(2, format, size, in: memory))
    stream.close()
  }

  /// An encoded file stays encoded until the end.
  @Test(arguments: [60, 600])
  func resultShowsTheFileOfTheBestFrame(side: Int) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every, check: check))
    let files = try (1...3 as ClosedRange<UInt8>).map { mark -> [UInt8] in
      let bitmap = try Bitmap(size: PixelSize(width: side, height: side))
      for index in bitmap.pixels.indices {
        bitmap.pixels[index] = mark &+ UInt8(truncatingIfNeeded: index &* index >> 7)
      }
      return try JPEGEncoder.encode(bitmap, maxBytes: 1 << 22)
    }
    #expect(files[1].count < 32 << 10 || side == 600)
    for (index, file) in files.enumerated() {
      try file.withUnsafeBytes { bytes in
        _ = try stream.submit(HeldImage(ImageInput(.encoded(bytes))) {}, timestamp: 0)
        served.log.wait(for: index + 1)
      }
    }
    try files[1].withUnsafeBytes { try expectThat(served.log.events.last, shows: ImageInput(.encoded($0))) }
    stream.close()
  }

  /// A dropped frame is in no report, and its memory holds another one.
  @Test func aDroppedFrameIsNotKept() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest, check: check))
    let memory = (0..<4).map { _ in
      UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    }
    defer { for part in memory { part.deallocate() } }
    let size = PixelSize(width: 401, height: 301)
    let images = try memory.enumerated().map { try image(UInt8($0.offset + 1), .nv12, size, in: $0.element) }
    served.detector.hold()
    _ = try stream.submit(HeldImage(images[0]) {}, timestamp: 0)
    served.detector.waitUntilRunning(1)
    for image in images[1...2] { _ = try stream.submit(HeldImage(image) {}, timestamp: 0) }
    served.detector.release()
    #expect(served.log.wait(for: 3).map { $0.check?.isBest } == [false, nil, true])
    _ = try stream.submit(HeldImage(images[3]) {}, timestamp: 0)
    try expectThat(served.log.wait(for: 4).last, shows: images[2])
    stream.close()
  }

  /// A frame whose faces are too many for a message has failed, and its check continues.
  @Test func aFrameThatFailedMayBeTheBest() throws {
    let box = Box(x: 5, y: 5, width: 20, height: 20)
    let picture = CheckPicture(size: PixelSize(width: 31, height: 41), form: .keptByCaller, bytes: [])
    let face = Face(box: box, confidence: 1, points: nil)
    let result = CheckResult(face: face, picture: picture, crop: picture, cropBox: box)
    let report = CheckReport(
      attempt: 1, state: .finish, tip: .done, progress: 1, actionsDone: 0, actionCount: 0,
      circle: Circle(center: Point(x: 0, y: 0), radius: 1), events: [.result(result)], isBest: true)
    let answer = FrameEvent(
      frame: FrameInfo(number: 1), outcome: .failed(Status(.resourceExhausted, "too many faces")),
      check: report)
    let bytes = try WatchCall.responseFrame(stream: 3, answer)
    let engine = try FaultyEngine { connection, frame in
      frame.header.type == FrameType.data.rawValue && connection.framesSeen == 4 ? bytes : []
    }
    let log = EventLog()
    let client = try Client(socket: engine.path, options: ClientOptions(timeout: .milliseconds(300)))
    let stream = try client.openStream(StreamOptions(.newest, check: check), deliver: log.deliver)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { memory.deallocate() }
    let image = try image(1, .rgb, PixelSize(width: 41, height: 31), in: memory)
    _ = try stream.submit(HeldImage(image) {}, timestamp: 0)
    try expectThat(log.wait(for: 1).first, shows: image)
    #expect(log.failures == [.resourceExhausted])
    stream.close()
  }
}

extension CheckReport {
  var results: [CheckResult] {
    events.compactMap { if case .result(let result) = $0 { result } else { nil } }
  }
}
