import Foundation
import TestSupport
import Testing

/// What is wrong usage, by command: it ends with 2, says why, and does nothing.
@Suite struct UsageTests {
  /// Flags for a photo.
  private static let ofAPhoto: [String: [[String]]] = [
    "bench": [
      ["--rounds", "0"], ["--rounds", "many"], ["--frames=-1"], ["--warm-up=-1"], ["--accuracy", "best"],
      ["--socket", "/tmp/none.sock"], ["--max-side", "0"], ["--unknown"],
    ],
    "check": [
      ["--fps", "0"], ["--actions", "dance"], ["--mask", "1,2"], ["--min-face", "3"], ["--hold", "-1"],
      ["--timeout=nan"], ["--tip-time=-0.5"], ["--view", "0x0"],
      ["--still", "--crop", "x.png", Checkout.photo],
      ["--actions", "blink,blink,blink,blink,blink,blink,blink,blink,blink"], ["--preset", "iso-9"],
    ],
    "crop": [
      ["--size", "300"], ["--margin", "-1"], ["--size", "9000x100"], ["--aligned", "--margin", "1"],
      ["--aligned", "--size", "100x50"],
    ],
    "detect": [
      ["--min-confidence", "2"], ["--max-side", "0"], ["--max-side", "9000"], ["--no-such-flag"],
      ["--socket", "a", "--model", "b"], ["--orientation", "9"], ["--orientation", "1", "--camera", "0,0"],
      ["--camera", "45,0"], ["--camera", "0,0,back"], ["--region", "1,2,3"], ["--region", "1,2,3,nan"],
      ["--box", "1,2,3,4"], ["--box", "1,2,0,4", "--pose"], ["--min-face-share", "2"], ["--raw", "rgb"],
      ["--raw", "xyz:16x16"], ["--raw", "rgb:16"], ["--raw", "rgb:16x16:48:bt2020"], ["--raw", "rgb:0x16"],
      ["--space", "inches"], ["--screen", "34"], ["--screen", "34x0"], ["--constellation", "68"],
      ["--view", "10"], ["--view", "10x10,tall"], ["--mask", "1,2,-3"],
      ["--space", "pixels", "--view", "10x10"],
      ["--detection-interval", "0"], ["--max-missed-frames=-1"], ["--rotations", "some"],
      ["--accuracy", "best"], ["--analysis-rate", "5"], ["--track", "--analysis-rate", "-1"],
      ["--reidentify"], ["--follow", "1,2,3,4"], ["--track", "--followed-only"],
      ["--track", "--follow", "1,2,0,4"], ["--engine", "../ncnn"], ["--engine", "Kernels"],
      ["--engine", ":CUDA"],
      ["--threads-per-frame=0"], ["--threads-per-frame=17"], ["--threads-per-frame=-1"],
      ["--threads-per-frame=two"], ["--csv", "--all"], ["--csv", "--json"],
      ["--output", "x"], ["--csv", "--output", "x"], ["--json", "--output", "-"], ["--json", "--resume"],
      ["--track", "--unordered"], ["--track", "--json", "--resume", "--output", "x"],
      ["--json", "--resume", "--output", "x", "-"],
    ],
    "draw": [
      ["--landmarks", "dots"], ["--mask", "1,2"], ["--box-colour", "reddish"], ["--box-width", "-3"],
      ["--scale", "0"], ["--overlay", ""], ["--landmarks", "mesh,"], ["--overlay-arms", "0.6"],
    ],
  ]

  /// Flags for another input, or for none.
  private static let others: [String: [[String]]] = [
    "no-such-command": [[]], "check": [[]], "detect": [[]], "quality": [[]],
    "serve": [["--workers", "0"]],
    "status": [["--wait-ready", "--json"], ["--wait-ready", "--timeout", "soon"], ["--wait-ready=1"]],
    "watch": [
      [], ["--fps", "0", "-"], ["--newest", "--every-frame", "-"], ["-", "a.jpg"],
      ["--format", "h264", "/dev/video0"], ["--format", "yuyv", "-"], ["--size", "640", "/dev/video0"],
      ["--raw", "gray:512x600", "/dev/video0"], ["--raw", "gray:8x8", "-"],
      ["--socket", "a", "--model", "b", "-"], ["--detection-interval", "0", "-"], ["--once", "-"],
      ["--picture", "x.png", "-"], ["--crop", "x.png", "-"], ["--actions", "blink", "-"],
      ["--check", "--space", "normalised", "-"], ["--check", "--points-in-box", "-"],
      ["--check", "--pause", "-1", "-"], ["--check", "--mask", "1,2,0", "-"],
      ["--check", "--hold", "-1", "-"],
      ["--check", "--actions", "dance", "-"],
    ],
  ]

  private func expectRefused(_ arguments: [String]) throws {
    let command = try Command.faceEngine(arguments)
    #expect(command.status == 2 && command.output.isEmpty, "\(arguments): \(command)")
    #expect(!command.errors.isEmpty && !command.errors.contains("Internal error"), "\(arguments): \(command)")
  }

  @Test(arguments: ofAPhoto.keys.sorted()) func wrongFlagsForAPhotoAreRefused(command: String) throws {
    let folder = try TemporaryFolder()
    let output = ["crop", "draw"].contains(command) ? ["-o", folder.path("out.png")] : []
    for flags in try #require(Self.ofAPhoto[command]) {
      try expectRefused([command, Checkout.photo] + flags + output)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test(arguments: others.keys.sorted()) func wrongUsageIsRefused(command: String) throws {
    for arguments in try #require(Self.others[command]) { try expectRefused([command] + arguments) }
  }
}
