import ArgumentParser
import Client
import FaceCore
import Posix

/// The user that an engine runs as, as a flag of the commands that connect to one.
struct EngineUserArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A user that the engine at the socket may run as, by name or number, besides this one, root, and the owner of a folder that root made for the socket.",
      valueName: "user"))
  var engineUser: String?

  /// Throws `notFound` for a user that there is not.
  func options() throws(Status) -> ClientOptions {
    var options = ClientOptions()
    if let engineUser { options.engineUser = try Account.user(engineUser) }
    return options
  }
}
