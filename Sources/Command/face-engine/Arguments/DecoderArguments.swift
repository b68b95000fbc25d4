import ArgumentParser
import Decoders
import FaceCore

/// The flag for the pictures that are decoded in processes of their own.
struct DecoderArguments: ParsableArguments {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case rare, all, none

    static var allValueDescriptions: [String: String] {
      [
        rare.rawValue: "HEIC, AVIF, TIFF, BMP, GIF and WebP, whose libraries cannot be stopped",
        all.rawValue: "JPEG and PNG, too",
        none.rawValue: "no pictures; a call that ends early may leave work behind that goes on",
      ]
    }
  }

  @Option(
    help:
      "The pictures that are decoded in processes of their own, which are killed when their call ends early.")
  var decoderProcesses = Mode.rare

  /// Starts the process that forks decoders; `nil` if none are wanted. Called before the sandbox is entered.
  func start(_ protection: SandboxArguments) throws(Status) -> DecoderPool? {
    guard decoderProcesses != .none else { return nil }
    return try DecoderPool(
      takesAllKinds: decoderProcesses == .all, isRestricted: protection.sandbox == .on)
  }
}
