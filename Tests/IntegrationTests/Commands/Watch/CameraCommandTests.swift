import Foundation
import TestSupport
import Testing

/// Tests `face-engine watch` on a camera: one that a preloaded library plays with the kernel's own
/// structures, and a loopback device if the kernel has one.
@Suite struct CameraCommandTests {
  /// A path without a device.
  private static let path = "/dev/video42"

  /// The environment that has a camera which shows the photo.
  private static func camera(
    _ format: String, in folder: TemporaryFolder, rate: Int = 100, unplugAfter: Int = 0
  ) throws -> [String: String] {
    let library = folder.path("camera.so")
    try Command.run(
      "gcc",
      [
        "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
        "Tests/CTests/preload/fake_camera.c", "-ldl", "-pthread",
      ]
    ).succeeded()
    return [
      "LD_PRELOAD": library, "FAKE_CAMERA_PATH": path, "FAKE_CAMERA_FORMAT": format,
      "FAKE_CAMERA_SIZE": "512x600", "FAKE_CAMERA_PICTURE": try picture(format, in: folder),
      "FAKE_CAMERA_RATE": "\(rate)", "FAKE_CAMERA_UNPLUG": "\(unplugAfter)",
    ]
  }

  /// The photo as a camera delivers it: in gray, which all raw formats have without any arithmetic.
  private static func picture(_ format: String, in folder: TemporaryFolder) throws -> String {
    if format == "MJPG" { return Checkout.photo }
    let path = folder.path("photo.pgm")
    try #require(try Command.run("djpeg", ["-grayscale", "-outfile", path, Checkout.photo]).status == 0)
    let luma = try Data(contentsOf: URL(filePath: path)).suffix(512 * 600)
    let picture =
      switch format {
      case "YUYV": Data(luma.flatMap { [$0, 128] })
      case "UYVY": Data(luma.flatMap { [128, $0] })
      case "NV16": luma + Data(repeating: 128, count: 512 * 600)
      default: luma + Data(repeating: 128, count: 512 * 300)
      }
    try picture.write(to: URL(filePath: folder.path("picture")))
    return folder.path("picture")
  }

  @Test(arguments: ["YUYV", "UYVY", "NV12", "NV16", "MJPG"])
  func facesAreFoundInEachFormat(format: String) throws {
    let folder = try TemporaryFolder()
    let watch = try RunningWatch(
      ["--model", Checkout.model, Self.path], environment: try Self.camera(format, in: folder))
    let opened = try #require(try watch.json())
    #expect(opened.camera == Self.path && opened.event == "opened" && opened.name == "A fake camera")
    #expect(opened.format == (format == "MJPG" ? "mjpeg" : format.lowercased()))
    #expect(opened.width == 512 && opened.height == 600 && opened.rate == 100)
    var last = (number: 0, timestamp: 0)
    for _ in 0..<10 {
      let frame = try #require(try watch.json())
      let (number, timestamp) = (try #require(frame.frame), try #require(frame.timestamp))
      #expect(frame.faces?.map(\.id) == [1] && frame.width == 512)
      #expect(number > last.number && timestamp > last.timestamp)
      // The missing numbers are those of the dropped frames.
      #expect(frame.dropped.map { $0 < number } == true)
      last = (number, timestamp)
    }
    #expect(try watch.end(with: SIGTERM) == 0, "\(watch.errors)")
  }

  /// The frame numbers, the count of dropped frames and the summary agree.
  @Test func framesTooFastForTheEngineAreDroppedAndCounted() throws {
    let folder = try TemporaryFolder()
    let watch = try RunningWatch(
      ["--model", Checkout.model, "--accuracy", "high", Self.path],
      environment: try Self.camera("NV12", in: folder, rate: 200))
    _ = try watch.json()
    var answered = 0
    for _ in 0..<5 {
      let frame = try #require(try watch.json())
      answered += 1
      #expect(frame.frame.flatMap { number in frame.dropped.map { number == answered + $0 } } == true)
    }
    let sixth = try #require(try watch.json())
    #expect(sixth.dropped.map { $0 > 0 } == true)
    #expect(try watch.end(with: SIGINT) == 0, "\(watch.errors)")
    #expect(watch.errors.contains(" dropped") && !watch.errors.contains(" 0 dropped"))
  }

  @Test func everyFrameKeepsAllFramesOfACamera() throws {
    let folder = try TemporaryFolder()
    let watch = try RunningWatch(
      ["--model", Checkout.model, "--every-frame", Self.path],
      environment: try Self.camera("YUYV", in: folder, rate: 30))
    _ = try watch.json()
    for number in 1...20 {
      let frame = try #require(try watch.json())
      #expect(frame.frame == number && frame.dropped == 0)
    }
    watch.signal(SIGINT)
  }

  @Test func unpluggedCameraIsReportedAndReopened() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine()
    // The engine continues the same stream.
    let watch = try RunningWatch(
      ["--through", engine.socket, Self.path],
      environment: try Self.camera("YUYV", in: folder, rate: 30, unplugAfter: 5))
    var events: [String] = []
    var framesSinceReturn = 0
    var ids: Set<Int?> = []
    while framesSinceReturn < 5 {
      let line = try #require(try watch.json(), "\(watch.errors)")
      if let event = line.event {
        events.append(event)
        if event == "lost" { #expect(line.reason?.contains("No such device") == true) }
      } else {
        ids.formUnion((line.faces ?? []).map(\.id))
        if events.count == 3 { framesSinceReturn += 1 }
      }
    }
    #expect(events == ["opened", "lost", "opened"])
    // The tracker sees the same person.
    #expect(ids == [1])
    #expect(try watch.end(with: SIGTERM) == 0, "\(watch.errors)")
  }

  @Test func aCameraGoesOnWhenItsEngineIsBack() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    let watch = try RunningWatch(
      ["--through", engine.socket, Self.path],
      environment: try Self.camera("YUYV", in: folder, rate: 30))
    _ = try watch.json()
    #expect(try watch.json()?.faces?.count == 1)
    #expect(engine.end(with: SIGKILL) == -SIGKILL)
    while let line = try watch.json(), line.error == nil {}
    let other = try RunningEngine(in: folder)
    #expect(other.socket == engine.socket)
    while let line = try watch.json(), line.faces == nil {}
    // This shows that frames have failed.
    #expect(try watch.end(with: SIGTERM) == 1)
  }

  /// I6: in a mirrored picture left and right are still the subject's own.
  @Test func aMirroredCameraIsMirroredBack() throws {
    let folder = try TemporaryFolder()
    let environment = try Self.camera("NV12", in: folder)
    func points(_ options: [String]) throws -> [String: [Double]] {
      let watch = try RunningWatch(
        ["--model", Checkout.model, Self.path] + options, environment: environment)
      _ = try watch.json()
      let frame = try #require(try watch.json())
      watch.signal(SIGKILL)
      return try #require(frame.faces?.first?.points)
    }
    let plain = try points([])
    let mirrored = try points(["--mirrored"])
    for name in ["leftEye", "rightEye"] {
      let other = name == "leftEye" ? "rightEye" : "leftEye"
      let (here, there) = (try #require(plain[other]), try #require(mirrored[name]))
      #expect(abs(512 - here[0] - there[0]) < 6 && abs(here[1] - there[1]) < 6)
    }
  }

  // MARK: A loopback device

  /// The first device of the kernel's v4l2loopback; without one, a message says so.
  private static let loopback: String? = {
    let folder = "/sys/devices/virtual/video4linux"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    if Clips.hasFFmpeg, let name = names.first { return "/dev/\(name)" }
    FileHandle.standardError.write(
      Data("SKIPPED: the test of a v4l2loopback device, because there is none, or no ffmpeg\n".utf8))
    return nil
  }()

  @Test(.enabled(if: loopback != nil, "there is no v4l2loopback device, or no ffmpeg"))
  func aLoopbackDeviceIsACamera() throws {
    let path = try #require(Self.loopback)
    let player = try InteractiveProgram([
      "ffmpeg", "-v", "error", "-re", "-loop", "1", "-framerate", "30", "-i", Checkout.photo, "-pix_fmt",
      "yuyv422", "-progress", "pipe:1", "-f", "v4l2", path,
    ])
    defer {
      player.signal(SIGTERM)
      _ = player.wait()
    }
    // Waits until ffmpeg has written a frame.
    while let line = try player.line(), !line.hasPrefix("frame=") || line == "frame=0" {}
    let watch = try RunningWatch(["--model", Checkout.model, path])
    #expect(try watch.json()?.event == "opened")
    for _ in 0..<10 { #expect(try watch.json()?.faces?.map(\.id) == [1]) }
    #expect(try watch.end(with: SIGINT) == 0, "\(watch.errors)")
    let list = try WatchCommandTests.watch(["--list-cameras"])
    #expect(list.output.contains(path))
  }
}
