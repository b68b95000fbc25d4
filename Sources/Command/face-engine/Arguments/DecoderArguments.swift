import ArgumentParser
import Decoders
import FaceCore
import Posix

/// The flag for the pictures that are decoded in processes of their own.
struct DecoderArguments: ParsableArguments {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case all, rare, none

    static var allValueDescriptions: [String: String] {
      [
        all.rawValue: "every kind",
        rare.rawValue: "HEIC, AVIF, TIFF, BMP, GIF and WebP, whose libraries cannot be interrupted",
        none.rawValue:
          "no kind: for trusted pictures; decoding may continue after its call has ended early, and a crash of a library ends this process",
      ]
    }
  }

  @Option(
    help:
      "Kinds of pictures to decode in separate processes, which are killed when their call ends early.")
  var decoderProcesses = Mode.all

  /// Starts the processes that fork decoders; `nil` if none are wanted. Called before the sandbox is entered and
  /// a thread is started.
  /// - Parameter isService: whether pictures are untrusted.
  func start(_ protection: SandboxArguments, isService: Bool) throws(Status) -> DecoderPool? {
    guard decoderProcesses != .none else { return nil }
    let (takesAll, isRestricted) = (decoderProcesses == .all, protection.sandbox == .on)
    // Processes that replace lost ones become children of the engine. Other commands wait for theirs.
    if isService { ChildProcess.adoptOrphans() }
    guard isService, let program = CurrentProcess.program else {
      return try DecoderPool.ofThisProcess(takesAllKinds: takesAll, isRestricted: isRestricted)
    }
    return try DecoderPool(
      program: program, takesAllKinds: takesAll, isRestricted: isRestricted, startsAgain: !isRestricted)
  }
}

/// The decoder of a command that reads pictures itself.
enum CommandDecoder {
  private static let decoder = Monitor<(any FileDecoder)?>(nil)

  /// Starts it, unless that was done, and lets the sandbox use it.
  static func start(
    _ arguments: DecoderArguments, _ protection: SandboxArguments, _ sandbox: inout Sandbox
  ) throws(Status) {
    if current == nil, let pool = try arguments.start(protection, isService: false) {
      decoder.withLock { $0 = pool.decoder(for: CurrentProcess.user) }
    }
    if current != nil { sandbox.needs.insert(.decoders) }
  }

  /// Returns the image with this decoder and the process's memory for its file.
  static func decoding(_ image: ImageInput) -> ImageInput {
    image.decoded(by: current, in: MemoryBudget.ofProcess.account(of: CurrentProcess.user))
  }

  /// `nil` if it was not started.
  static var current: (any FileDecoder)? { decoder.withLock { $0 } }
}
