import ArgumentParser
import CallerOptions
import FaceCore

/// The guided check of `face-engine watch`, on the command line.
struct WatchCheckArguments: ParsableArguments {
  @Flag(
    help:
      "Run the guided check with the person in view, and print a line for each of its events. --view then describes the view that shows the preview, and --mask the circle in it (default: in the middle)."
  )
  var check = false

  @Flag(
    help:
      "Stop after the first check, with exit code 0 if it finished, else 1. Without --once, the next check starts --pause seconds after each one ends."
  )
  var once = false

  @Option(help: "Seconds from the end of a check to the start of the next one.")
  var pause = 3.0

  @OptionGroup var pictures: CheckPictureArguments
  @OptionGroup var how: CheckArguments

  func validate() throws {
    guard check || !(once || pictures.areAsked || how.actions != nil) else {
      throw ValidationError("--once, --picture, --crop and --actions need --check.")
    }
    try ValidationError.reporting { _ = try attempts() }
  }

  func attempts() throws(Status) -> CheckAttempts {
    CheckAttempts(pause: once ? nil : try CheckArguments.span(pause, "pause"))
  }
}
