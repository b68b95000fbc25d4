import FaceCore
import Foundation
import TestSupport
import Testing

/// The flags of `detect` in this process and with a running engine, which must print the same. Numbers are printed
/// so that they read back as the same `Float`, so the same text means the same bits. What a flag means is tested on
/// the C API, by the functions that docs/features.md names.
@Suite struct FeatureCommandTests {
  private let engine: RunningEngine

  init() throws { engine = try RunningEngine(arguments: ["--model", "Models/centerface".fromCheckout]) }

  /// The output of both ways, which is the same.
  private func output(_ arguments: [String]) throws -> String {
    let models = [Checkout.model, "Models/centerface".fromCheckout].flatMap { ["--model", $0] }
    let here = try Command.faceEngine(["detect", "--json"] + models + arguments)
    let there = try engine.run(["detect", "--json"] + arguments)
    #expect(here.status == 0, "\(here.errors)")
    #expect(there.status == 0, "\(there.errors)")
    #expect(here.output == there.output)
    return here.output
  }

  private static let empty = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout

  /// Flags, others that change what is printed with them, and the pictures.
  private static let flags: [(with: [String], change: [[String]], pictures: [String])] = [
    (
      [],
      [
        ["--landmarks"], ["--pose"], ["--expressions"], ["--quality"], ["--iso-quality"],
        ["--point-precision"],
        ["--gaze"], ["--all"], ["--accuracy", "low"], ["--accuracy", "high"], ["--use", "centerface"],
        ["--max-side", "200"], ["--min-face-size", "400"], ["--min-face-share", "0.9"],
        ["--min-confidence", "0.99"], ["--region", "0,0,100,100"], ["--box", "150,80,200,240", "--pose"],
        ["--orientation", "6"], ["--mirrored"], ["--space", "normalised"], ["--points-in-box"],
        ["--space", "normalised-bottom-left"], ["--space", "pixels-bottom-left"],
        ["--view", "512x600,mirrored"],
      ], [Checkout.photo]
    ),
    (["--min-confidence", "0.001"], [["--max-faces", "2"], ["--prominent-only"]], [Checkout.photo]),
    (["--orientation", "3"], [["--rotations", "any"]], [Checkout.photo]),
    (["--view", "300x300,cover"], [["--mask", "150,150,120"]], [Checkout.photo]),
    (
      ["--track"],
      [
        ["--min-hits", "1"], ["--follow", "210,90,200,260"], ["--analysis-rate", "5"],
        ["--detection-interval", "1"],
      ],
      Array(repeating: Checkout.photo, count: 6)
    ),
    (
      ["--track", "--analysis-rate", "5"], [["--frame-rate", "5"]], Array(repeating: Checkout.photo, count: 6)
    ),
    (
      ["--track", "--follow", "210,90,200,260", "--min-confidence", "0.001"], [["--followed-only"]],
      [Checkout.photo, Checkout.photo]
    ),
    (
      ["--track", "--min-hits", "1", "--max-missed-frames", "0", "--frame-rate", "2"],
      [["--reidentify"], ["--max-missed-frames", "9"]], [Checkout.photo, empty, empty, empty, Checkout.photo]
    ),
  ]

  @Test func eachFlagHasTheSameEffectInBothWays() throws {
    for (with, change, pictures) in Self.flags {
      let without = try output(with + pictures)
      for flags in change { #expect(try output(with + flags + pictures) != without, "\(with) \(flags)") }
    }
    let turned = try output(["--rotations", "any", "--orientation", "6", Checkout.photo])
    for camera in ["90,0", "0,270,front"] {
      #expect(try output(["--rotations", "any", "--camera", camera, Checkout.photo]) == turned)
    }
  }

  @Test func rawPixelsHaveTheFormatThatIsSaid() throws {
    let folder = try TemporaryFolder()
    let (photo, pixels) = (try Fixture.photo("grace_hopper.jpg").decoded(), folder.path("pixels.raw"))
    // Each plane has its rows' gap after the last one, too.
    let gap = [UInt8](repeating: 0, count: 24)
    let nv12 = YUVPicture(photo, .nv12, .bt709Video).planes(.nv12, padding: gap.count)
    for (format, bytes) in [
      ("rgb:512x600", photo.bytes(.rgb).bytes),
      ("nv12:512x600:536:bt709-video", nv12.flatMap { $0.bytes + gap }),
    ] {
      try Data(bytes).write(to: URL(filePath: pixels))
      #expect(try Line(output(["--raw", format, pixels])).found.count == 1, "\(format)")
    }
  }
}
