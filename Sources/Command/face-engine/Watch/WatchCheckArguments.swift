import ArgumentParser
import CallerOptions
import FaceCore

/// The guided check of `face-engine watch`, on the command line.
struct WatchCheckArguments: ParsableArguments {
  @Flag(
    help:
      "Do the guided check with the person in view, and print a line for each of its events. --view is then the view that shows the preview, --mask the circle in it (default: in the middle)."
  )
  var check = false

  @Flag(
    help:
      "End with the first check: exit code 0 when it finished, else 1. Without, the next one begins --pause after each end."
  )
  var once = false

  @Option(help: "Seconds from the end of a check to the next one.")
  var pause = 3.0

  @OptionGroup var pictures: CheckPictureArguments
  @OptionGroup var how: CheckArguments

  func validate() throws {
    guard check || !(once || pictures.areAsked || how.actions != nil) else {
      throw ValidationError("--once, --picture, --crop and --actions are for --check.")
    }
    try ValidationError.reporting { _ = try attempts() }
  }

  func attempts() throws(Status) -> CheckAttempts {
    CheckAttempts(pause: once ? nil : try CheckArguments.span(pause, "pause"))
  }
}
