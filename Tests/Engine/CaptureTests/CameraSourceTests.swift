import Capture
import FaceCore
import Glibc
import Posix
import TestSupport
import Testing

/// Camera frames, failures and reconnection, with a scripted driver.
@Suite struct CameraSourceTests {
  private static let size = PixelSize(width: 16, height: 16)
  /// Rows of 32 bytes and a gap of 8.
  private static let yuyv = (0..<16).flatMap { row in
    (0..<40).map { column in UInt8(column < 32 ? row * 7 + column : 0xEE) }
  }

  private static func source(
    _ port: ScriptedPort, _ options: CameraOptions = CameraOptions(), silence: TimeSpan = .seconds(5)
  ) -> CameraSource {
    var times = CameraTimes()
    times.pause = .milliseconds(1)
    times.silence = silence
    return CameraSource("/dev/video7", options, times, open: port.opener)
  }

  @Test func framesStandWhereTheDriverPutThem() throws {
    let camera = ScriptedCamera(
      FourCC("YUYV"), Self.size, [.frame(Self.yuyv, timestamp: 5), .frame(Self.yuyv, timestamp: nil)])
    let source = Self.source(ScriptedPort(camera))
    let interruption = try Interruption()
    guard case .opened(let opened) = try #require(try source.next(or: interruption).event) else {
      throw Status(.internal, "the camera is not opened")
    }
    #expect(opened.path == "/dev/video7" && opened.name == "Scripted")
    #expect(opened.format == .yuyv && opened.size == Self.size && opened.rate == 30)
    #expect(camera.isStreaming && camera.askedRate == 30)
    let all = camera.queued
    #expect(all.count >= 4)
    var held = try source.next(or: interruption).frame
    do {
      let frame = try #require(held)
      guard case .pixels(let view) = frame.content else { throw Status(.internal, "YUYV are pixels") }
      #expect(view.bytes.baseAddress == camera.buffers[all[0]].baseAddress)
      #expect(view.stride == 40 && view.format == .yuyv && view.colour == .bt601Video)
      #expect(frame.origin.timestamp == 5)
      // The frame is lent until its last owner releases it, even if that is the image.
      #expect(camera.queued == Array(all.dropFirst()))
    }
    var image: HeldImage? = held.map { $0.held(as: ImageInput($0.content)) }
    held = nil
    #expect(camera.queued == Array(all.dropFirst()))
    withExtendedLifetime(image) {}
    image = nil
    #expect(camera.queued == Array(all.dropFirst()) + [all[0]])
    // Without a driver's clock, our clock is used.
    let second = try #require(try source.next(or: interruption).frame)
    #expect(second.origin.timestamp > 1_000_000)
  }

  @Test func jpegFrameHasTheLengthTheDriverReports() throws {
    let camera = ScriptedCamera(
      FourCC("MJPG"), Self.size, [.frame([0xFF, 0xD8, 0xFF, 1, 2]), .frame([3]), .frame([])])
    let record = try SourceRecord(Self.source(ScriptedPort(camera)), limit: 4)
    // The decoder decides, frame by frame, whether it is a JPEG.
    #expect(record.frames == [[[0xFF, 0xD8, 0xFF, 1, 2]], [[3]]])
    #expect(record.broken.map(\.code) == [.dataLoss])
  }

  @Test func shortAndDamagedFramesAreReportedAndTheirBuffersRequeued() throws {
    let camera = ScriptedCamera(
      FourCC("YUYV"), Self.size,
      [
        .frame(Array(Self.yuyv.prefix(100))), .frame(Self.yuyv, isBroken: true), .frame([]),
        .frame(Self.yuyv),
      ])
    let record = try SourceRecord(Self.source(ScriptedPort(camera)), limit: 5)
    #expect(record.broken.count == 3)
    #expect(record.broken[0].message.contains("100 of 640 bytes"))
    #expect(record.broken[1].message.contains("driver"))
    #expect(record.frames.count == 1)
    #expect(camera.queued.count == camera.buffers.count)
  }

  @Test func pollWithoutAFrameIsRepeated() throws {
    let camera = ScriptedCamera(
      FourCC("YUYV"), Self.size, [.tryAgain, .tryAgain, .frame(Self.yuyv), .tryAgain, .frame(Self.yuyv)])
    let record = try SourceRecord(Self.source(ScriptedPort(camera)), limit: 3)
    #expect(record.frames.count == 2 && record.failure == nil && record.broken.isEmpty)
  }

  @Test(arguments: [ENODEV, EIO, ENXIO])
  func unpluggedCameraIsReportedAndReopened(code: Int32) throws {
    let first = ScriptedCamera(FourCC("YUYV"), Self.size, [.frame(Self.yuyv), .failure(code)])
    let second = ScriptedCamera(FourCC("YUYV"), Self.size, [.frame(Self.yuyv), .failure(code)])
    let gone = ScriptedPort.failure(ENOENT)
    let locked = ScriptedPort.failure(EACCES)
    let port = ScriptedPort([.success(first), gone, gone, locked, locked, .success(second), gone])
    let record = try SourceRecord(Self.source(port), limit: 9)
    #expect(record.failure == nil && record.frames.count == 2)
    // The same reason is reported once.
    let reported = record.events.map { event in
      switch event {
      case .opened: "opened"
      case .lost(let path, let reason): path == "/dev/video7" && !reason.isEmpty ? "lost" : "?"
      }
    }
    #expect(reported == ["opened", "lost", "lost", "lost", "opened", "lost", "lost"])
    #expect(!first.isStreaming && !second.isStreaming)
  }

  /// A frame that is still being searched when its camera goes stays readable.
  @Test func framesOutliveTheirCamera() throws {
    let camera = ScriptedCamera(FourCC("YUYV"), Self.size, [.frame(Self.yuyv), .failure(ENODEV)])
    let source = Self.source(ScriptedPort(camera))
    let interruption = try Interruption()
    _ = try source.next(or: interruption)
    let frame = try #require(try source.next(or: interruption).frame)
    #expect(try source.next(or: interruption).event != nil)
    #expect(SourceRecord.bytes(frame)[0].prefix(4) == [0, 1, 2, 3])
  }

  @Test func aSilentCameraIsOpenedAnew() throws {
    let silent = ScriptedCamera(FourCC("YUYV"), Self.size, [.frame(Self.yuyv), .silence])
    let other = ScriptedCamera(FourCC("YUYV"), Self.size, [.frame(Self.yuyv)])
    let port = ScriptedPort([.success(silent), .success(other)])
    let record = try SourceRecord(Self.source(port, silence: 20_000_000), limit: 5)
    #expect(record.frames.count == 2 && record.events.count == 3)
    #expect("\(record.events[1])".contains("no frame"))
  }

  @Test func anInterruptionEndsTheWaits() throws {
    let interruption = try Interruption()
    let camera = ScriptedCamera(FourCC("YUYV"), Self.size, [.silence])
    let source = Self.source(ScriptedPort(camera))
    _ = try source.next(or: interruption)
    interruption.signal()
    #expect(try source.next(or: interruption).isEnd)
    // The same holds while it waits for a lost camera.
    let lost = ScriptedCamera(FourCC("YUYV"), Self.size, [.failure(ENODEV)])
    let record = try SourceRecord(
      InterruptedAfterLoss(Self.source(ScriptedPort(lost))), limit: 10)
    #expect(record.failure == nil && record.events.count == 2)
  }

  @Test func cameraMissingAtTheStartIsAFailure() throws {
    let source = Self.source(ScriptedPort([ScriptedPort.failure(ENOENT)]))
    let record = try SourceRecord(source)
    #expect(record.failure?.code == .notFound)
    #expect(record.failure?.message.contains("/dev/video7") == true)
  }

  @Test func videoNodeWithoutCaptureIsAFailure() throws {
    let node = ScriptedCamera(FourCC("YUYV"))
    node.capabilities = VideoCapability(name: "Metadata", isCamera: false)
    let record = try SourceRecord(Self.source(ScriptedPort(node)))
    #expect(record.failure?.code == .failedPrecondition)
    #expect(record.failure?.message.contains("--list-cameras") == true)
  }

  @Test func aCameraThatGrantsSomethingElseIsAFailure() throws {
    let camera = ScriptedCamera(FourCC("YUYV"), Self.size)
    camera.stubborn = VideoFormat(code: FourCC("H264"), size: Self.size, stride: 0, colour: .bt601Video)
    let record = try SourceRecord(Self.source(ScriptedPort(camera)))
    #expect(record.failure?.message.contains("H264") == true)
    // Another size is a failure only if a size was requested.
    let other = PixelSize(width: 32, height: 32)
    for options in [CameraOptions(), CameraOptions(size: Self.size)] {
      let camera = ScriptedCamera(FourCC("YUYV"), Self.size)
      camera.stubborn = VideoFormat(code: FourCC("YUYV"), size: other, stride: 64, colour: .bt601Video)
      let record = try SourceRecord(Self.source(ScriptedPort(camera), options), limit: 1)
      #expect((record.failure == nil) == (options.size == nil))
    }
  }

  @Test func tooSmallPicturesAreAFailure() throws {
    let camera = ScriptedCamera(FourCC("YUYV"), PixelSize(width: 8, height: 8))
    #expect(try SourceRecord(Self.source(ScriptedPort(camera))).failure?.code == .outOfRange)
  }

  /// The kernel refuses a device that is not a video device; it is not misread.
  @Test func deviceThatIsNotVideoIsAFailure() throws {
    let record = try SourceRecord(CameraSource("/dev/null", CameraOptions()))
    #expect(record.failure?.message.contains("/dev/null") == true)
  }
}

/// Interrupts its source as soon as that reports a lost camera.
private final class InterruptedAfterLoss: FrameSource {
  private let source: CameraSource

  init(_ source: CameraSource) {
    self.source = source
  }

  func next(or interruption: Interruption) throws(Status) -> SourceItem {
    let item = try source.next(or: interruption)
    if case .camera(.lost) = item { interruption.signal() }
    return item
  }
}
