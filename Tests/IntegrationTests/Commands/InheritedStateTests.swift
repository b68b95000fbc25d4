import Foundation
import TestSupport
import Testing

/// Programs whose starter left them closed descriptors, low limits or ignored signals.
@Suite struct InheritedStateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Parameter line: for bash, with the program as $0, the model as $1, the photo as $2 and a folder as $3.
  private func shell(_ line: String) throws -> Command {
    try Command.run("bash", ["-c", line, Checkout.engine, Checkout.model, Checkout.photo, folder.path])
  }

  /// Results that cannot be written are an error, and no file of the program gets their number.
  @Test(arguments: [
    ("0<&-", 0), ("2>&-", 0), ("0<&- 2>&-", 0), (">&-", 1), ("0<&- >&-", 1), ("0<&- >&- 2>&-", 1),
  ])
  func closedStandardStreams(closed: String, status: Int32) throws {
    let command = try shell("$0 detect --model $1 --annotate $3/out.png $2 \(closed)")
    #expect(command.status == status, "\(command.errors)")
    let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(pictures == ["out.png"])
  }

  /// The limit counts for memory that is shared with decoders, too. A picture whose pixels are above it goes through a
  /// socket.
  @Test func picturesAreDecodedUnderALimitOfFileSizes() throws {
    let usual = try shell("$0 detect --json --model $1 $2")
    let limited = try shell("ulimit -f 20; $0 detect --json --model $1 $2")
    #expect(limited.status == 0 && limited.output == usual.output, "\(limited.errors)")
    // It is ready when it has answered with the photo.
    _ = try RunningEngine(launcher: ["prlimit", "--fsize=20480"])
  }

  @Test(arguments: [
    "detect --model $1 --annotate $3/out.png $2", "draw --model $1 -o $3/out.png $2",
    "crop --model $1 --size 1000x1000 -o $3/out.png $2",
  ])
  func filesAboveTheLimitAreErrors(arguments: String) throws {
    let command = try shell("ulimit -f 20; $0 \(arguments)")
    #expect(command.status == 1 && command.errors.contains("20480 bytes"), "\(command.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func resultsAboveTheLimitAreAnError() throws {
    let command = try shell("ulimit -f 1; $0 detect --model $1 --json $2 $2 $2 $2 $2 $2 $2 $2 $2 >$3/out")
    #expect(command.status == 1 && command.errors.contains("File too large"), "\(command.errors)")
  }

  /// The kernel collects the children of a process that ignores SIGCHLD, with their status.
  @Test func anIgnoredSignalOfChildrenIsNoFailure() throws {
    let command = try shell(
      """
      ffmpeg -v error -loop 1 -framerate 10 -t 1 -i $2 -vf scale=160:188 -c:v mjpeg $3/a.mkv
      exec env --ignore-signal=CHLD $0 watch --model $1 $3/a.mkv
      """)
    #expect(command.status == 0 && command.lines.count == 10, "\(command.errors)")
  }
}
