import Foundation
import TestSupport
import Testing

/// Large pictures of many users, with far less memory than all of them take at once.
@Suite(.enabled(if: MemoryGroup.isThere, "only root can limit the memory of a control group"))
struct PictureMemoryTests {
  struct Load: CustomTestStringConvertible {
    let mebibytes: Int
    let side: Int
    let users: Int
    /// Whether such a picture fits.
    let isAnswered: Bool

    var testDescription: String { "\(users) of \(side)×\(side) in \(mebibytes) MiB" }
  }

  private static let short = [
    Load(mebibytes: 300, side: 8000, users: 4, isAnswered: false),
    Load(mebibytes: 300, side: 4500, users: 6, isAnswered: true),
  ]
  private static let long =
    [300, 600, 1024].map { Load(mebibytes: $0, side: 8000, users: 16, isAnswered: $0 > 300) } + [
      Load(mebibytes: 300, side: 5000, users: 16, isAnswered: true)
    ]

  private static func picture(_ side: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("large.png")
    let source = "color=gray:size=\(side)x\(side)"
    try Clips.ffmpeg(["-f", "lavfi", "-i", source, "-frames:v", "1", path])
    return path
  }

  @Test(arguments: LongForm.choose(long, short: short))
  func callsWaitOrAreRefusedAndSmallPicturesPass(_ load: Load) throws {
    let (folder, group) = (try TemporaryFolder(), try MemoryGroup(mebibytes: load.mebibytes))
    let picture = try Self.picture(load.side, in: folder)
    let engine = try RunningEngine(
      arguments: ["--workers", "8", "--socket-mode", "0666"], launcher: group.launcher)
    // Each call is that of another user. The checkout may be in a folder of root's.
    let users = try InteractiveProgram([
      "/bin/sh", "-c",
      """
      for user in $(seq \(load.users)); do
        setpriv --reuid=$((20000 + user)) --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search \\
          "$0" detect --json --socket "$1" --engine-user 0 "$2" &
      done
      echo begun
      wait
      """, Checkout.engine, engine.socket, picture,
    ])
    #expect(try users.line() == "begun")
    var answers = 0
    // Meanwhile, and once more after them.
    for _ in 0..<5 {
      try engine.run(["detect", Checkout.photo]).succeeded()
    }
    while let line = try users.line() {
      answers += 1
      let isRefused = line.contains("RESOURCE_EXHAUSTED") && line.contains("scale it down")
      #expect(load.isAnswered ? !line.contains("\"error\"") : isRefused, "\(line)")
    }
    _ = users.wait()
    #expect(answers == load.users)
    #expect(try engine.run(["detect", Checkout.photo]).status == 0)
    #expect(try group.kills() == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(arguments: ["all", "none"]) func jobsWaitForEachOther(decoderProcesses: String) throws {
    let (folder, group) = (try TemporaryFolder(), try MemoryGroup(mebibytes: 300))
    let picture = try Self.picture(4500, in: folder)
    let command = try Command.run(
      group.launcher[0],
      Array(group.launcher.dropFirst()) + [
        Checkout.engine, "detect", "--json", "--jobs", "8", "--model", Checkout.model, "--decoder-processes",
        decoderProcesses,
      ] + Array(repeating: picture, count: 8)
    ).succeeded()
    #expect(command.lines.count == 8)
    #expect(try group.kills() == 0)
  }
}
