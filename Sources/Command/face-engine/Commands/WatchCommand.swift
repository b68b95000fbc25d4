public import ArgumentParser
import CallerOptions
public import Capture
public import Client
public import FaceCore
import Posix

/// `face-engine watch`
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Track the faces in the frames of a camera, a video or a folder of pictures.",
    discussion: """
      The input is a camera (/dev/video0), a video, a Y4M stream (as written by ffmpeg -f yuv4mpegpipe), a folder of pictures in \
      the order of their names, or several pictures in the order given. A - reads a video or stream from standard input. \
      Videos need the program ffmpeg; each of their frames is searched once, with its own time. With --raw, a stream contains \
      raw pixels. For a network stream (rtsp://…), prints the GStreamer command to run instead.

      Prints a line of JSON for each frame: its number, its timestamp in nanoseconds, its faces with their ids, the ids \
      that left, and the number of frames dropped so far; or an error. Further lines report that a camera was opened, lost \
      or found again.

      With --check, runs the guided check of face-engine check instead. Prints a line of JSON for each event of the check, \
      with the number and timestamp of the frame. When a check ends, the next one starts, unless --once is given. The check \
      measures time by the timestamps of the frames.

      With --best, also prints a line for each face that has left, and in the end for those still in view: the frame of its \
      best picture, the picture's file, its score, and the face's measurements, which say why.

      With --visits, counts people instead. Prints a line of JSON when a person came or left: how long the person stayed and \
      looked at the screen, in seconds. At the end of the input, the people in view leave.

      Runs until the input ends, the output is closed, or SIGINT or SIGTERM arrives.

      Exit code: 0 done, 1 the input or a frame failed, or with --once the check did not finish, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Camera") var device: CameraArguments
  @OptionGroup(title: "Contents of the frames") var input: InputArguments
  @OptionGroup(title: "Measurements of each face") var measurements: OutputArguments
  @OptionGroup(title: "Coordinates") var coordinates: SpaceArguments
  @OptionGroup(title: "Tracking") var following: FollowingArguments
  @OptionGroup(title: "Best pictures") var best: WatchBestArguments
  @OptionGroup(title: "Counting people") var counting: VisitArguments
  @OptionGroup(title: "Covers, with --y4m") var covering: WatchCoverArguments
  @OptionGroup(title: "The guided check") var guidance: WatchCheckArguments

  @Flag var mode: StreamMode?

  @Option(
    help: ArgumentHelp(
      "With --visits, write the totals to this file whenever they change, in the OpenMetrics text format.",
      valueName: "file"),
    completion: .file())
  var openmetrics: String?

  @Flag(
    help:
      "Write the frames with their faces marked, or covered (in a check also circle and tip), as a Y4M stream for a player: face-engine watch --y4m … | ffplay -"
  )
  var y4m = false

  @Argument(help: "Camera, video, stream, folder or pictures.", completion: .file())
  var inputs: [String] = []

  func validate() throws {
    guard !device.listCameras else { return }
    guard !inputs.isEmpty else {
      throw ValidationError("Name an input; --list-cameras lists the cameras.")
    }
    if let stream = inputs.lazy.compactMap(NetworkStream.init).first {
      throw ValidationError(
        "\(stream.address) is a network stream; use GStreamer for it (docs/gstreamer.md): \(stream.line)"
      )
    }
    guard inputs.count == 1 || !inputs.contains("-") && input.raw == nil else {
      throw ValidationError("A stream must be the only input.")
    }
    guard isCamera || device.format == nil && device.size == nil else {
      throw ValidationError(
        "--format and --size are for cameras; describe the pixels of a stream with --raw.")
    }
    guard !isCamera || input.raw == nil else {
      throw ValidationError("--raw is for streams; choose the frames of a camera with --format and --size.")
    }
    do {
      try input.raw?.validate()
    } catch {
      throw ValidationError("--raw: \(error.message).")
    }
    guard !guidance.check || coordinates.space == nil && !coordinates.pointsInBox else {
      throw ValidationError(
        "--space and --points-in-box cannot be combined with --check, which prints pixels of the image.")
    }
    guard !guidance.check || best.best == nil else {
      throw ValidationError("--best cannot be combined with --check, whose picture --picture and --crop save.")
    }
    try ValidationError.reporting { _ = try streamOptions() }
    guard !counting.visits || !y4m && !guidance.check else {
      throw ValidationError("--visits prints its own lines; leave out --y4m and --check.")
    }
    let isCounted = try openmetrics != nil || counting.options() != VisitOptions()
    guard counting.visits || !isCounted else {
      throw ValidationError("--openmetrics, --max-look-angle, --min-stay and --max-absence need --visits.")
    }
    guard y4m || !covering.how.areAsked else {
      throw ValidationError("--blur and --pixelate change pictures; give --y4m to write them.")
    }
    guard !y4m || !StandardOutput.isTerminal else {
      throw ValidationError("--y4m does not write to a terminal; pipe it into a player or a file.")
    }
  }

  private var isCamera: Bool {
    inputs.count == 1 && inputs.allSatisfy { $0.hasPrefix("/dev/video") || FileSystem.isCharacterDevice($0) }
  }

  /// Whether the input may need ffmpeg: a file shows that before the sandbox is entered, a stream later.
  private var mayBeVideo: Bool {
    guard inputs.count == 1, input.raw == nil, !isCamera, !FileSystem.isDirectory(inputs[0]) else {
      return false
    }
    guard inputs != ["-"], FileSystem.isFile(inputs[0]) else { return true }
    if case .video = InputKind(ofFile: inputs[0]) { return true }
    return false
  }

  /// The sandbox, in two parts: ffmpeg is started between them and inherits the first.
  private func sandbox() throws(Status) -> Sandbox {
    var paths = inputs
    if inputs.count == 1, FileSystem.isDirectory(inputs[0]) {
      paths += try PictureFolder.pictures(in: inputs[0]).entries.map(\.path)
    }
    let outputs = [guidance.pictures.picture, guidance.pictures.crop, best.best, openmetrics].compactMap { $0 }
    var sandbox = Sandbox.command(reading: paths, outputs: outputs)
    if isCamera {
      sandbox.needs.insert(.camera)
      // A camera that is plugged in again is a new file there.
      for path in ["/dev", inputs[0]] { sandbox.allow([.read, .write, .control], path) }
    }
    if mayBeVideo {
      if inputs == ["-"], FileSystem.isFile(VideoFileSource.standardInputPath) {
        sandbox.allow(.read, VideoFileSource.standardInputPath)
      }
      sandbox.needs.insert(.program)
      sandbox.filtersLater = true
      sandbox.allowPrograms()
    }
    return sandbox
  }

  func run() throws {
    if device.listCameras { return try listCameras() }
    // A closed output is a normal end.
    CurrentProcess.ignoreBrokenPipes()
    let signals = try StopSignals()
    let interruption = try Interruption()
    var sandbox = try sandbox()
    let detector = try source.open(sandbox)
    let stop = Monitor<(@Sendable () -> Void)?>(nil)
    // The reader of the results may have stopped reading.
    try signals.handle(limit: .seconds(2), warning: "stopped before all frames were searched") {
      interruption.signal()
      stop.withLock { $0 }?()
    }
    let frames = try frames(interruption, WatchCommand.allocator(for: detector))
    let video = frames as? VideoFileSource
    if video == nil { sandbox.needs.remove(.program) }
    let sink = try sink(keepsTime: video != nil)
    var options = try streamOptions()
    options.detection.outputs = measurements.outputs(of: detector)
    if counting.visits { options.detection.outputs.insert(.pose) }
    if sandbox.filtersLater { source.protection.filterCalls(sandbox, isClient: detector is Client) }
    let watch = try Watch(
      frames,
      mode ?? (isCamera ? .newest : .every), detector, options,
      guidance.check ? guidance.attempts() : nil,
      to: CheckPictureSink(guidance.pictures, then: sink), best.folder, interruption: interruption
    ) { [input] frame in input.image(frame) }
    stop.withLock { $0 = watch.stop }
    let start = MonotonicTime.now()
    defer {
      printSummary(watch.summary, since: start)
      if let count = video?.untimedCount, count > 0 {
        StandardError.write(
          "face-engine: \(count) frames are not later than the frame before; each got a timestamp "
            + "one nanosecond after it\n")
      }
    }
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
    options.tracking = try following.options(isCheck: guidance.check)
    options.best = best.options
    if guidance.check {
      options.check = try guidance.how.options(view: coordinates.view, mask: coordinates.mask)
    }
    return options
  }

  private func sink(keepsTime: Bool) throws(Status) -> any WatchSink {
    if y4m { return Y4MSink(keepsTime: keepsTime, covering.covers) }
    let frames = JSONSink(coordinates)
    return counting.visits ? try VisitSink(try counting.options(), metrics: openmetrics, others: frames) : frames
  }

  private func frames(
    _ interruption: Interruption, _ allocate: @escaping FrameAllocator
  ) throws(Status) -> any FrameSource {
    if isCamera { return CameraSource(inputs[0], device.options) }
    guard inputs.count == 1 else { return PictureSource(inputs, pace: device.rate, allocate) }
    let path = inputs[0]
    if FileSystem.isDirectory(path) {
      let folder = try PictureFolder.pictures(in: path)
      if let skipped = folder.skipped.text { StandardError.write("face-engine: \(skipped)\n") }
      return PictureSource(folder.entries.map(\.path), pace: device.rate, allocate)
    }
    let reader = ByteReader(try path == "-" ? .standard() : InputStream(path))
    if let raw = input.raw {
      return RawSource(reader, raw, rate: device.rate ?? FrameRate(30), allocate)
    }
    if path != "-", FileSystem.isFile(path) {
      switch InputKind(ofFile: path) {
      case .y4m: return Y4MSource(reader, allocate)
      case .picture: return PictureSource(inputs, pace: device.rate, allocate)
      case .video(let format):
        return try VideoFileSource(path, format: format, makesSquare: guidance.check, allocate)
      }
    }
    if try reader.begins(with: Y4MHeader.signature, or: interruption) { return Y4MSource(reader, allocate) }
    let beginning = try reader.beginning(InputKind.beginningBytes, or: interruption)
    guard case .video(let format) = InputKind(ofStream: beginning) else { return Y4MSource(reader, allocate) }
    if path == "-", FileSystem.isFile(VideoFileSource.standardInputPath) {
      return try VideoFileSource.standardInput(format: format, makesSquare: guidance.check, allocate)
    }
    let name = path == "-" ? "standard input" : path
    return try VideoFileSource(
      reader, name, format: format, makesSquare: guidance.check, or: interruption, allocate)
  }

  /// Allocates memory that the engine reads directly, so that frames are not copied on their way.
  private static func allocator(for detector: any StreamingDetector) -> FrameAllocator {
    if detector is Client {
      return { (size) throws(Status) -> any FrameMemory in try ClientMemory(size: size) }
    }
    return { (size) throws(Status) -> any FrameMemory in try HeapFrameMemory(byteCount: size) }
  }

  private func printSummary(_ summary: Watch.Summary, since start: MonotonicTime) {
    let time = MonotonicTime.now() - start
    StandardError.write(
      "face-engine: \(summary.answered) frames searched in \(DurationText.of(time)), \(summary.dropped) dropped, "
        + "\(summary.failed) failed\n")
  }

  private func listCameras() throws {
    let cameras = try CameraList.cameras()
    guard !cameras.isEmpty else {
      throw Status(
        .notFound,
        "there is no camera at /dev/video* that this user may open; check that it is plugged in, and the group of "
          + "/dev/video0")
    }
    try StandardOutput.write(cameras.map { $0.text + "\n" }.joined())
  }
}

extension ClientMemory: FrameMemory {}

extension StreamMode: EnumerableFlag {
  public static func name(for value: StreamMode) -> NameSpecification {
    switch value {
    case .every: .customLong("every-frame")
    case .newest: .customLong("newest")
    }
  }

  public static func help(for value: StreamMode) -> ArgumentHelp? {
    switch value {
    case .every: "Search every frame, and let the source wait. (default, except for cameras)"
    case .newest: "Search the newest frame, and drop older ones that still wait. (default for cameras)"
    }
  }
}
