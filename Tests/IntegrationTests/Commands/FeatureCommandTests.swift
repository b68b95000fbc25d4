import FaceCore
import Foundation
import TestSupport
import Testing

/// Tests the list of docs/features.md, id by id, on the command line: in this process and with a running
/// engine, which must print the same. Numbers are printed so that they read back as the same `Float`, so the
/// same text means the same bits.
@Suite struct FeatureCommandTests {
  private let engine: RunningEngine
  private let folder: TemporaryFolder
  /// The answer for the plain photo.
  private let plain: Line.Face

  init() throws {
    engine = try RunningEngine(arguments: ["--model", "Models/centerface".fromCheckout])
    folder = try TemporaryFolder()
    let command = try Command.faceEngine(["detect", "--json", "--model", Checkout.model, Checkout.photo])
    plain = try #require(try command.json.first?.found.first)
  }

  /// The output of both ways, which is the same.
  private func answers(_ arguments: [String], models: [String] = [Checkout.model]) throws -> [Line] {
    let source = models.flatMap { ["--model", $0] }
    let here = try Command.faceEngine(["detect", "--json"] + source + arguments)
    let there = try engine.run(["detect", "--json"] + arguments)
    #expect(here.status == 0, "\(here.errors)")
    #expect(there.status == 0, "\(there.errors)")
    #expect(here.output == there.output)
    return try here.json
  }

  private func face(_ arguments: [String]) throws -> Line.Face {
    let answer = try #require(try answers(arguments).first)
    #expect(answer.found.count == 1)
    return try #require(answer.found.first)
  }

  private func expect(_ face: Line.Face, isAt other: Line.Face, within tolerance: Double = 1) {
    let pairs =
      [(face.box.x, other.box.x), (face.box.y, other.box.y)]
      + [(face.box.width, other.box.width), (face.box.height, other.box.height)]
    for (one, two) in pairs { #expect(abs(one - two) <= tolerance) }
    for (name, point) in face.points {
      let there = other.points[name] ?? []
      for (one, two) in zip(point, there) { #expect(abs(one - two) <= tolerance, "\(name)") }
      #expect(there.count == 2)
    }
  }

  private func write(_ bytes: [UInt8]) throws -> String {
    let path = folder.path("pixels-\(UUID().uuidString.prefix(8)).raw")
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  @Test("I1, I4: raw pixels, packed and planar, with a stride")
  func rawPixels() throws {
    let photo = try Fixture.photo("grace_hopper.jpg").decoded()
    let rgb = try write(photo.bytes(.rgb).bytes)
    expect(try face(["--raw", "rgb:512x600", rgb]), isAt: plain, within: 1.5)
    // Each plane has its rows' gap after the last one, too.
    let gap = [UInt8](repeating: 0, count: 24)
    let nv12 = YUVPicture(photo, .nv12, .bt709Video).planes(.nv12, padding: gap.count).flatMap {
      $0.bytes + gap
    }
    expect(try face(["--raw", "nv12:512x600:536:bt709-video", try write(nv12)]), isAt: plain, within: 4)

    let small = try Command.faceEngine(["detect", "--raw", "rgb:512x601", rgb])
    #expect(small.status == 1 && small.errors.contains("601 rows"))
  }

  @Test("I2, I6, K6: orientation given, mirrored, and of a turned camera")
  func orientations() throws {
    let photo = try Fixture.photo("grace_hopper.jpg").decoded()
    let upright = try face(["--raw", "rgb:512x600", try write(photo.bytes(.rgb).bytes)])
    // Orientation 6 is upright after a clockwise turn by 90°.
    let turned = try write(photo.stored(.right).bytes(.rgb).bytes)
    let mirrored = Picture(512, 600) { x, y in photo[511 - x, y] }.stored(.right)
    for flags in [
      ["--orientation", "6", turned], ["--camera", "90,0", turned], ["--camera", "0,270,front", turned],
      ["--orientation", "6", "--mirrored", try write(mirrored.bytes(.rgb).bytes)],
    ] {
      expect(try face(["--raw", "rgb:600x512"] + flags), isAt: upright)
    }

    let exif = "Tests/Fixtures/images/exif_6.jpg".fromCheckout
    let own = try #require(try answers([exif]).first)
    let given = try #require(try answers(["--orientation", "1", exif]).first)
    #expect((own.width, own.height) == (given.height, given.width))
    #expect(own.width != own.height)
  }

  @Test("I5: sizes from 16×16 to 16384×16384, and a clear status beyond")
  func sizes() throws {
    for (width, height) in [(16, 16), (16, 16_384), (16_384, 16)] {
      let path = try write([UInt8](repeating: 90, count: width * height))
      let answer = try #require(try answers(["--raw", "gray:\(width)x\(height)", path]).first)
      #expect(answer.width == width && answer.height == height)
    }
    let path = try write([UInt8](repeating: 90, count: 15 * 16))
    for source in [["--model", Checkout.model], ["--socket", engine.socket]] {
      let command = try Command.faceEngine(["detect", "--raw", "gray:15x16"] + source + [path])
      #expect(command.status == 1)
      #expect(command.errors.contains("15×16"))
    }
  }

  @Test("I7, R2, R3, R4, R5: every output of a face, at once and one by one")
  func outputs() throws {
    let all = try face(["--all", Checkout.photo])
    // The detector gives the box, the mesh the five points.
    expect(all, isAt: plain, within: 12)
    #expect(all.box.x == plain.box.x && all.box.height == plain.box.height)
    #expect(all.points["mouthLeft"] != plain.points["mouthLeft"])
    #expect(all.regions?.count == 13 && all.regions?["allPoints"]?.count == 478)
    let (pose, eyes) = (try #require(all.pose), try #require(all.eyesOpen))
    #expect(abs(pose.yaw) < 45 && abs(pose.pitch) < 45 && abs(pose.roll) < 45)
    #expect(Set(eyes.keys) == ["left", "right"] && eyes.values.allSatisfy { $0 > 0.5 && $0 <= 1 })
    #expect(all.quality?.count == 6 && all.smile != nil && all.mouthOpen != nil)
    for flag in [
      "--landmarks", "--pose", "--expressions", "--quality", "--iso-quality", "--point-precision", "--gaze",
    ] {
      expect(try face([flag, Checkout.photo]), isAt: all, within: 0)
    }
    _ = try answers(["--all", Checkout.otherPhoto])
  }

  @Test("R4: accuracy, a model by name, least size and most faces")
  func search() throws {
    let models = [Checkout.model, "Models/centerface".fromCheckout]
    for accuracy in ["low", "balanced", "high"] {
      let answer = try answers(
        ["--accuracy", accuracy, "--all", Checkout.photo, Checkout.otherPhoto], models: models)
      #expect(answer.map(\.found.count) == [1, 1])
    }
    let other = try #require(try answers(["--use", "centerface", Checkout.photo], models: models).first)
    #expect(other.found.count == 1)
    #expect(other.found.first?.confidence != plain.confidence)
    for (options, count) in [
      (["--min-face-size", "400"], 0), (["--min-confidence", "0.001", "--max-faces", "2"], 2),
      (["--min-confidence", "0.99"], 0), (["--max-side", "native"], 1),
      // So small that the network sees no face in it.
      (["--max-side", "16"], 0),
    ] {
      #expect(try answers(options + [Checkout.photo]).first?.found.count == count, "\(options)")
    }
    let unknown = try Command.faceEngine(
      ["detect", "--use", "other", Checkout.photo] + models.flatMap { ["--model", $0] })
    #expect(unknown.status == 1 && unknown.errors.contains("\"yunet\", \"centerface\""))
  }

  @Test("G6: heads of any roll")
  func rotations() throws {
    let standing = try face(["--rotations", "any", Checkout.photo])
    expect(standing, isAt: plain)
    let turned = try face(["--rotations", "any", "--pose", "--orientation", "3", Checkout.photo])
    #expect(abs(try #require(turned.pose).roll) > 165)
  }

  @Test("R1, R3, R4, K1: boxes in each space")
  func spaces() throws {
    expect(try face(["--space", "pixels", Checkout.photo]), isAt: plain, within: 0)
    let top = try face(["--space", "normalised", Checkout.photo])
    let bottom = try face(["--space", "normalised-bottom-left", Checkout.photo])
    #expect(abs(top.box.x - plain.box.x / 512) < 1e-5 && abs(top.box.height - plain.box.height / 600) < 1e-5)
    #expect(abs(bottom.box.y - (1 - (plain.box.y + plain.box.height) / 600)) < 1e-5)
    let pixels = try face(["--space", "pixels-bottom-left", Checkout.photo])
    #expect(abs(pixels.box.y - (600 - plain.box.y - plain.box.height)) < 1e-3 && pixels.box.x == plain.box.x)
    let (eye, mouth) = (try #require(bottom.points["leftEye"]), try #require(bottom.points["mouthLeft"]))
    #expect(eye[1] > mouth[1])
  }

  @Test("K2, K3, K4, K5: points in the box, a mirror, a view and its mask")
  func views() throws {
    let plainEye = try #require(plain.points["leftEye"])
    let inBox = try #require(try face(["--points-in-box", Checkout.photo]).points["leftEye"])
    #expect(abs(inBox[0] - (plainEye[0] - plain.box.x) / plain.box.width) < 1e-5)
    #expect(abs(inBox[1] - (plainEye[1] - plain.box.y) / plain.box.height) < 1e-5)

    let mirror = try face(["--view", "512x600,mirrored", "--landmarks", Checkout.photo])
    let mirrorEye = try #require(mirror.points["leftEye"])
    let eye = try #require(try face(["--landmarks", Checkout.photo]).points["leftEye"])
    #expect(abs(mirrorEye[0] - (512 - eye[0])) < 1e-3 && abs(mirrorEye[1] - eye[1]) < 1e-3)
    let pupil = try #require(mirror.regions?["leftPupil"]?.first)
    #expect(abs(pupil[0] - mirrorEye[0]) < 15)

    let answer = try #require(
      try answers(["--view", "300x300,cover", "--mask", "150,150,120", Checkout.photo]).first)
    let (face, mask) = (try #require(answer.found.first), try #require(answer.mask))
    let scale = 300.0 / 512
    #expect(abs(face.box.x - plain.box.x * scale) < 1e-3)
    #expect(abs(face.box.y - (plain.box.y * scale + (300 - 600 * scale) / 2)) < 1e-3)
    #expect(abs(mask.x - 256) < 1e-3 && abs(mask.y - 300) < 1e-3 && abs(mask.radius - 120 / scale) < 1e-3)
  }

  @Test("A region of interest: positions stay those of the whole image")
  func regions() throws {
    let box = plain.box
    let around = [box.x - 80, box.y - 80, box.width + 160, box.height + 160].map { "\(Int($0))" }
    expect(
      try face(["--region", around.joined(separator: ","), Checkout.photo]), isAt: plain, within: 12)
    #expect(try answers(["--region", "0,0,100,100", Checkout.photo]).first?.found.isEmpty == true)
  }

  @Test("G5: given boxes; faces by their share of the width; the most prominent face")
  func givenBoxes() throws {
    let box = plain.box
    let given = [
      "\(box.x),\(box.y),\(box.width),\(box.height)", "\(box.x + 9),\(box.y - 9),\(box.width),\(box.height)",
    ]
    let flags = given.flatMap { ["--box", $0] } + ["--landmarks", "--pose", Checkout.photo]
    let faces = try #require(try answers(flags).first).found
    #expect(faces.count == 2)
    let measured = try #require(faces.first)
    let searched = try face(["--landmarks", "--pose", Checkout.photo])
    #expect(measured.confidence == 1 && abs(measured.box.x - box.x) < 1e-3)
    let (pose, expected) = (try #require(measured.pose), try #require(searched.pose))
    #expect(abs(pose.roll - expected.roll) < 6 && abs(pose.yaw - expected.yaw) < 6)

    let share = box.width / 512
    #expect(try answers(["--min-face-share", "\(share * 1.1)", Checkout.photo]).first?.found.isEmpty == true)
    #expect(
      try answers(["--min-face-share", "\(share * 0.9)", "--prominent-only", Checkout.photo]).first?.found
        .count == 1)
  }

  @Test("T1, T2: ids, who has left, and an answer for a frame without a face")
  func tracking() throws {
    let nobody = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    let photo = Checkout.photo
    let frames = try answers(
      ["--track", "--max-missed-frames", "2", "--detection-interval", "1", "--min-hits", "1"]
        + [photo, photo, nobody, photo, nobody, nobody, nobody, photo, photo])
    #expect(frames.map { $0.found.map(\.id) } == [[1], [1], [], [1], [], [], [], [2], [2]])
    #expect(frames.map { $0.found.map(\.frameCount) } == [[1], [2], [], [3], [], [], [], [1], [2]])
    #expect(frames.compactMap(\.left) == [[1]])
    // By default it is followed by its landmarks from the second frame on.
    let followed = try answers(["--track", "--all", photo, photo, photo, photo])
    #expect(followed.map { $0.found.map(\.id) } == [[1], [1], [1], [1]])
  }
}
