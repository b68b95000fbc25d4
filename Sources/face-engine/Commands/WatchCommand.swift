import ArgumentParser
public import Capture
public import Client
import FaceCore
import Posix

/// `face-engine watch`
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow the faces in the pictures of a camera, in a video stream, or in a folder of pictures.",
    discussion: """
      INPUT is a camera (/dev/video0), \"-\" for a Y4M stream on standard input, as ffmpeg -f yuv4mpegpipe writes it, the \
      path of such a stream, or a folder of JPEG, PNG and WebP files, taken in the order of their names; several files \
      are taken in the order given. With --raw a stream is raw pixels.

      Prints a JSON object a line for each frame: its number, its timestamp in nanoseconds, its faces with their ids, \
      the ids of those that left, how many frames were dropped so far, or an error. A camera that is opened, lost and found \
      again is told in lines of its own.

      With --check it is the guided check instead, as of face-engine check: a JSON object a line for each of its events, with \
      the number and timestamp of the frame. After an end the next check begins by itself, for the next person, unless \
      --once ends with it. Its time is that of the frames.

      Runs until the input ends, nobody reads the results, or SIGINT or SIGTERM.
      Exit code: 0 done, 1 the input or a frame failed, or with --once the check did not finish, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Camera") var device: CameraArguments
  @OptionGroup(title: "What the frames hold") var input: InputArguments
  @OptionGroup(title: "What to tell of each face") var told: OutputArguments
  @OptionGroup(title: "Coordinates") var coordinates: SpaceArguments
  @OptionGroup(title: "Tracking") var following: FollowingArguments
  @OptionGroup(title: "The guided check") var guidance: WatchCheckArguments

  @Flag var pacing: FramePacing?

  @Flag(
    help:
      "Write the frames with their faces marked (of a check also circle and tip) as a Y4M stream instead, for a player: face-engine watch --y4m … | ffplay -"
  )
  var y4m = false

  @Argument(help: "A camera, a stream, a folder or files.")
  var inputs: [String] = []

  func validate() throws {
    guard !device.listCameras else { return }
    guard !inputs.isEmpty else {
      throw ValidationError("Name an input; --list-cameras lists the cameras.")
    }
    guard inputs.count == 1 || !inputs.contains("-") && input.raw == nil else {
      throw ValidationError("A stream is watched alone.")
    }
    guard isCamera || device.format == nil && device.size == nil else {
      throw ValidationError("--format and --size are for cameras; with --raw say what a stream holds.")
    }
    guard !isCamera || input.raw == nil else {
      throw ValidationError("--raw is for streams; with --format and --size say what a camera is to give.")
    }
    do {
      _ = try input.raw?.layout
    } catch {
      throw ValidationError("--raw: \(error.message).")
    }
    guard !guidance.check || coordinates.space == nil && !coordinates.pointsInBox else {
      throw ValidationError(
        "--space and --points-in-box are not for --check, which tells pixels of the image.")
    }
    do {
      _ = try streamOptions()
    } catch {
      throw ValidationError("\(error.message).")
    }
    guard !y4m || !StandardOutput.isTerminal else {
      throw ValidationError("--y4m is for a player: pipe it into one, or into a file.")
    }
  }

  private var isCamera: Bool {
    inputs.count == 1 && inputs.allSatisfy { $0.hasPrefix("/dev/video") || FileSystem.isCharacterDevice($0) }
  }

  func run() throws {
    if device.listCameras { return try listCameras() }
    // That nobody reads any more is an end like another.
    CurrentProcess.ignoreBrokenPipes()
    let signals = try WatchSignals()
    let interruption = try Interruption()
    let detector = try source.open()
    let sink: any WatchSink = y4m ? Y4MSink() : JSONSink(coordinates)
    let watch = try Watch(
      try frames(interruption, WatchCommand.allocator(for: detector)),
      pacing ?? (isCamera ? .newest : .everyFrame), detector, try streamOptions(),
      guidance.check ? guidance.attempts() : nil,
      to: CheckPictureSink(guidance.pictures, then: sink), interruption: interruption
    ) { [input] content in input.image(content) }
    try signals.handle(watch.stop)
    let start = MonotonicTime.now()
    defer { tell(watch.summary, since: start) }
    try watch.run()
    if guidance.once, watch.attempts?.lastEnd == nil {
      StandardError.write("face-engine: \(CheckAttempts.unfinished)\n")
    }
    let isUnfinished = guidance.once && watch.attempts?.lastEnd != .finish
    if watch.summary.failed > 0 || isUnfinished { throw ExitCode(1) }
  }

  private func streamOptions() throws(Status) -> StreamOptions {
    var options = StreamOptions()
    options.detection = try detection.options()
    options.detection.outputs = told.outputs
    options.tracking = try following.options(isCheck: guidance.check)
    if guidance.check {
      options.check = try guidance.how.options(view: coordinates.view, mask: coordinates.mask)
    }
    return options
  }

  private func frames(
    _ interruption: Interruption, _ allocate: @escaping FrameAllocator
  ) throws(Status) -> any FrameSource {
    if isCamera { return CameraSource(inputs[0], device.options) }
    guard inputs.count == 1 else { return PictureSource(inputs, pace: device.rate, allocate) }
    let path = inputs[0]
    if FileSystem.isDirectory(path) {
      return PictureSource(try PictureSource.paths(in: path), pace: device.rate, allocate)
    }
    let reader = ByteReader(try path == "-" ? .standard() : InputStream(path))
    if let raw = input.raw {
      return RawSource(reader, try raw.layout, rate: device.rate ?? FrameRate(30), allocate)
    }
    // What comes through a pipe is a stream, or says what is wrong with it as one.
    if path == "-" { return Y4MSource(reader, allocate) }
    return try reader.begins(with: Y4MHeader.signature, or: interruption)
      ? Y4MSource(reader, allocate) : PictureSource(inputs, pace: device.rate, allocate)
  }

  /// Memory that the engine reads where it lies: frames are read into it, and not copied on their way.
  private static func allocator(for detector: any StreamingDetector) -> FrameAllocator {
    if detector is Client {
      return { (size) throws(Status) -> any FrameMemory in try ClientMemory(size: size) }
    }
    return { (size) throws(Status) -> any FrameMemory in try HeapFrameMemory(byteCount: size) }
  }

  private func tell(_ summary: Watch.Summary, since start: MonotonicTime) {
    let time = MonotonicTime.now().nanoseconds - start.nanoseconds
    StandardError.write(
      "face-engine: \(summary.answered) frames searched in \(DurationText.of(time)), \(summary.dropped) dropped, "
        + "\(summary.failed) failed\n")
  }

  private func listCameras() throws {
    let cameras = try CameraList.cameras()
    guard !cameras.isEmpty else {
      throw Status(
        .notFound,
        "there is no camera at /dev/video* that this user may open; see that it is plugged in, and the group of "
          + "/dev/video0")
    }
    try StandardOutput.write(cameras.map { $0.text + "\n" }.joined())
  }
}

extension ClientMemory: FrameMemory {}
