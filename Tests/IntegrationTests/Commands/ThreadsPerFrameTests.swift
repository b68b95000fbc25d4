import Foundation
import Posix
import Testing

/// Tests `--threads-per-frame`: the flag reaches the kernels, and the faces do not depend on it.
@Suite struct ThreadsPerFrameTests {
  /// The number of threads of a running engine that only make rows of an image beside the calling thread.
  private func rowThreads(_ arguments: [String]) throws -> Int {
    let engine = try RunningEngine(arguments: arguments)
    let tasks = "/proc/\(engine.id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).count { task in
      (try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)) == "face-rows\n"
    }
  }

  @Test func engineStartsThatManyKernelThreads() throws {
    #expect(try rowThreads([]) == 0)
    #expect(try rowThreads(["--threads-per-frame", "1"]) == 0)
    for (argument, number) in [("3", 3), ("auto", 16)] {
      // Those beside the calling thread, for each image that was searched at the same time as another.
      let others = min(number, ProcessorTopology.coreCount) - 1
      let threads = try rowThreads(["--threads-per-frame", argument])
      #expect(others == 0 ? threads == 0 : threads > 0 && threads % others == 0, "\(argument): \(threads)")
    }
  }

  @Test(arguments: [["--accuracy", "balanced"], ["--accuracy", "high"]])
  func facesDoNotDependOnTheNumberOfThreads(arguments: [String]) throws {
    func faces(_ threads: String) throws -> String {
      let command = try Command.faceEngine(
        ["detect", "--json", "--threads-per-frame", threads] + arguments
          + [Checkout.photo, Checkout.otherPhoto]
      ).succeeded()
      return command.output
    }
    let alone = try faces("1")
    #expect(alone.contains("confidence"))
    for threads in ["2", "3", "auto"] { #expect(try faces(threads) == alone, "\(threads) threads") }
  }
}
