import Foundation
import Testing

/// Tests `--threads-per-frame`: the flag reaches the kernels, and the faces do not depend on it.
@Suite struct ThreadsPerFrameTests {
  /// The number of threads of a running engine that only make rows of an image beside the calling thread.
  private func rowThreads(_ arguments: [String]) throws -> Int {
    let engine = try RunningEngine(arguments: arguments)
    return try engine.holdings.threads["face-rows"] ?? 0
  }

  @Test func engineStartsThatManyKernelThreads() throws {
    #expect(try rowThreads([]) == 0)
    #expect(try rowThreads(["--threads-per-frame", "1"]) == 0)
    // There are two beside the calling thread, for each image that was searched at the same time as another.
    let threads = try rowThreads(["--threads-per-frame", "3"])
    #expect(threads > 0 && threads % 2 == 0, "\(threads)")
  }

  @Test(arguments: [["--accuracy", "balanced"], ["--accuracy", "high"]])
  func facesDoNotDependOnTheNumberOfThreads(arguments: [String]) throws {
    func faces(_ threads: Int) throws -> String {
      let command = try Command.faceEngine(
        ["detect", "--json", "--threads-per-frame", "\(threads)"] + arguments
          + [Checkout.photo, Checkout.otherPhoto])
      #expect(command.status == 0, "\(command.errors)")
      return command.output
    }
    let alone = try faces(1)
    #expect(alone.contains("confidence"))
    for threads in [2, 3] { #expect(try faces(threads) == alone, "\(threads) threads") }
  }

  @Test(arguments: ["0", "17", "-1", "two"]) func otherNumbersAreRefused(number: String) throws {
    let command = try Command.faceEngine(["detect", "--threads-per-frame=\(number)", Checkout.photo])
    #expect(command.status == 2)
    #expect(command.errors.contains("threads-per-frame"))
  }
}
