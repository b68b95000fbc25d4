import ArgumentParser
import CallerOptions
import FaceCore
import Posix
import ResultJSON

/// `face-engine check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Guide a person to a good picture, from the frames of a video or from photos.",
    discussion: """
      The files are the frames of one video. Prints a line of JSON for each event of the check (status, tip, draw, clear, \
      result, failed), and one with "error" for a file that cannot be read. Stops when the check ends.

      Uses the engine at --socket, else an engine at a standard socket, else loads the model in this process.

      Actions make it harder to pass with a photo or a recorded video, but they are no certified protection against that.

      Exit code: 0 the check finished (with --still: all photos passed), 1 it did not, or a file failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments
  @OptionGroup(title: "Measurements of the face") var told: OutputArguments
  @OptionGroup(title: "The check") var place: CheckPlaceArguments
  @OptionGroup(title: "The check") var check: CheckArguments
  @OptionGroup(title: "Tracking") var following: FollowingArguments
  @OptionGroup var pictures: CheckPictureArguments

  @Option(help: "Frames per second of the video.")
  var fps = 30.0

  @Flag(help: "Treat each file as a photo. It passes if no tip applies; otherwise all its tips are printed.")
  var still = false

  @Argument(help: "Files of the frames, in order; with --still, photos.", completion: .file())
  var frames: [String]

  func validate() throws {
    guard !frames.isEmpty else { throw ValidationError("Name at least one frame.") }
    guard fps > 0, fps <= 1000 else {
      throw ValidationError("--fps \(fps) must be above 0 and at most 1000.")
    }
    if still, frames.count > 1, pictures.areAsked {
      throw ValidationError("--picture and --crop save one photo; check each photo in a call of its own.")
    }
    try ValidationError.reporting { _ = try check.options(view: place.view, mask: place.mask) }
  }

  func run() throws {
    var options = StreamOptions()
    options.detection = try detection.options()
    options.tracking = try following.options(isCheck: true)
    options.check = try check.options(view: place.view, mask: place.mask)
    options.check?.isStill = still
    let outputs = [pictures.picture, pictures.crop].compactMap { $0 }
    let detector = try source.open(.command(reading: frames, outputs: outputs))
    options.detection.outputs = told.outputs(of: detector)
    let video = try Video(detector, options)
    var isRight = true
    var last: CheckState?
    for (number, path) in frames.enumerated() {
      let state = try checkFrame(path, number, video)
      if state == nil || (still && state != .finish) { isRight = false }
      last = state ?? last
      if !still, state?.isEnd == true { break }
    }
    if !still, last?.isEnd != true {
      StandardError.write("face-engine: \(CheckAttempts.unfinished)\n")
    }
    guard isRight, still || last == .finish else { throw ExitCode(1) }
  }

  /// - Returns: the state of the check; `nil` if the file failed, which was reported.
  private func checkFrame(_ path: String, _ number: Int, _ video: Video) throws -> CheckState? {
    do {
      let file = try ImageFile.read(path, calledInErrors: "the file")
      let event = try withBytes(of: file) { (bytes) throws(Status) in
        try video.next(
          try input.image(bytes), timestamp: UInt64((Double(number) * 1_000_000_000 / fps).rounded()))
      }
      guard let report = event.check else {
        _ = try event.faces()
        throw Status(
          .internal, "the engine answered a frame of the check without a report; please report this")
      }
      // The check's report counts even if the list of faces does not fit in a message.
      let result = try? event.faces()
      for event in report.events {
        try pictures.save(event)
        let members =
          [JSON.schemaVersion, ("image", JSON.string(path))] + CheckOutput.members(event, report, result)
        try StandardOutput.write(JSON.object(members).description + "\n")
      }
      // The check may have succeeded without its picture being available.
      let failed = report.events.contains { if case .failed = $0 { true } else { false } }
      return failed ? .failed : report.state
    } catch let error as Status {
      try StandardOutput.write(ResultOutput.failure(path, error) + "\n")
      StandardError.write("face-engine: \(path): \(error.message)\n")
      return nil
    }
  }
}
