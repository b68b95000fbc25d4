import ArgumentParser
import FaceCore
import Posix

@main
struct FaceEngineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "face-engine",
    abstract: "Find faces in images, in this process or through an engine that the whole machine shares.",
    version: "face-engine \(EngineVersion.text)",
    subcommands: [
      ServeCommand.self, DetectCommand.self, WatchCommand.self, CheckCommand.self, DrawCommand.self,
      CropCommand.self, QualityCommand.self, ModelsCommand.self, StatusCommand.self, BenchCommand.self,
      DecoderCommand.self,
    ])

  /// Exits with 0 on success, 1 on failure, 2 on wrong usage.
  static func main() {
    CurrentProcess.normalise()
    let arguments = Array(CurrentProcess.arguments.dropFirst())
    if let wrong = Suggestion.forCommand(in: arguments) {
      StandardError.write(
        "Error: \(wrong)\nUsage: face-engine <subcommand>\n  See 'face-engine --help' for more information.\n"
      )
      CurrentProcess.exit(2)
    }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch let status as Status {
      StandardError.write("face-engine: \(status.message)\n")
      CurrentProcess.exit(1)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      if code.isSuccess {
        print(message)
      } else if !message.isEmpty {
        let said = Suggestion.preferringUnknownFlag(
          Suggestion.withoutFarGuess(message), in: arguments)
        StandardError.write("\(said)\n")
      }
      CurrentProcess.exit(code == .validationFailure ? 2 : code.rawValue)
    }
  }
}
