import ArgumentParser
import FaceCore

/// Where the results of many pictures go, and how a run is continued.
struct ResultArguments: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help:
      "Write the lines of --json to this file, which must not exist. It can be continued with --resume. The file FILE.options beside it keeps the options and models.",
    completion: .file())
  var output: String?

  @Flag(
    help:
      "Continue the --output file of a run that was stopped: search only pictures that have no line in it, also none with an error. If there is no such file, begin it. The options must be those of the first run."
  )
  var resume = false

  @Flag(
    help:
      "Print results as they come, so that a slow picture holds up no other. Without it they follow the order of the pictures."
  )
  var unordered = false

  /// The file, if one is wanted.
  func file(_ options: OptionRecord) throws -> ResultFile? {
    try output.map { try ResultFile($0, resumes: resume, options: options) }
  }

  func validate(_ format: OutputFormat, isTracking: Bool, _ list: PictureListArguments) throws {
    guard output == nil || format == .json else {
      throw ValidationError("--output has a line for each picture, which only --json prints; add --json.")
    }
    guard output != "-" else {
      throw ValidationError("--output needs the name of a file; leave it out for standard output.")
    }
    guard !resume || output != nil else {
      throw ValidationError("--resume continues a file; name the file with --output.")
    }
    guard !isTracking || !(resume || unordered) else {
      throw ValidationError("--track needs all frames in their order; leave out --resume and --unordered.")
    }
    guard !resume || !list.names.contains("-") else {
      throw ValidationError("--resume finds pictures by their names; a picture on standard input has none.")
    }
  }
}
