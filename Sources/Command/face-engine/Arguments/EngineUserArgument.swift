import ArgumentParser
import Client
import FaceCore
import Posix

/// The flag for the user that an engine runs as, for the commands that connect to one.
struct EngineUserArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also accept an engine that runs as this user, by name or number. Always accepted: your own user, root, and the owner of a folder that root made for the socket.",
      valueName: "user"))
  var engineUser: String?

  /// Throws `notFound` for an unknown user.
  func options() throws(Status) -> ClientOptions {
    var options = ClientOptions()
    if let engineUser { options.engineUser = try Account.user(engineUser) }
    return options
  }
}
