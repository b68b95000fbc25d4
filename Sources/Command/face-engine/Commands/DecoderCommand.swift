import ArgumentParser
import Decoders

/// `face-engine decoder`, which other commands and the library start.
struct DecoderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoder", abstract: "Decode pictures for the process that starts this.",
    shouldDisplay: false)

  @OptionGroup var protection: SandboxArguments

  @Flag(help: "Keep running without a parent process.")
  var detached = false

  func run() throws {
    try DecoderForker.run(isRestricted: protection.sandbox == .on, isDetached: detached)
  }
}
