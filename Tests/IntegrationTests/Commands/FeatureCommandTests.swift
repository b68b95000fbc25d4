import Foundation
import TestSupport
import Testing

/// Tests the list of docs/features.md, id by id, on the command line: in this process and with a running
/// engine, which must print the same. Numbers are printed so that they read back as the same `Float`, so the
/// same text means the same bits.
@Suite struct FeatureCommandTests {
  struct Answer: Decodable {
    struct Face: Decodable {
      struct Box: Decodable {
        let x, y, width, height: Double
      }
      struct Pose: Decodable {
        let yaw, pitch, roll: Double
      }
      let box: Box
      let confidence: Double
      let points: [String: [Double]]
      let id, frameCount: Int?
      let pose: Pose?
      let regions: [String: [[Double]]]?
      let eyesOpen, quality: [String: Double]?
      let smile, mouthOpen: Double?
    }
    struct Mask: Decodable {
      let x, y, radius: Double
    }
    let width, height: Int
    let faces: [Face]
    let left: [Int]?
    let mask: Mask?
  }

  private let engine: RunningEngine
  private let folder: TemporaryFolder
  /// The answer for the plain photo.
  private let plain: Answer.Face

  init() throws {
    engine = try RunningEngine(arguments: ["--model", "Models/centerface".fromCheckout])
    folder = try TemporaryFolder()
    let command = try Command.faceEngine(["detect", "--json", "--model", Checkout.model, Checkout.photo])
    plain = try #require(
      try JSONDecoder().decode(Answer.self, from: Data(command.output.utf8)).faces.first)
  }

  /// The output of both ways, which is the same.
  private func answers(_ arguments: [String], models: [String] = [Checkout.model]) throws -> [Answer] {
    let source = models.flatMap { ["--model", $0] }
    let here = try Command.faceEngine(["detect", "--json"] + source + arguments)
    let there = try Command.faceEngine(["detect", "--json", "--socket", engine.socket] + arguments)
    #expect(here.status == 0, "\(here.errors)")
    #expect(there.status == 0, "\(there.errors)")
    #expect(here.output == there.output)
    return try here.lines.map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
  }

  private func face(_ arguments: [String]) throws -> Answer.Face {
    let answer = try #require(try answers(arguments).first)
    #expect(answer.faces.count == 1)
    return try #require(answer.faces.first)
  }

  private func expect(_ face: Answer.Face, isAt other: Answer.Face, within tolerance: Double = 1) {
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

  /// The photo as raw pixels of three bytes.
  private func pixels() throws -> (bytes: [UInt8], width: Int, height: Int) {
    let file = try Data(contentsOf: URL(filePath: try CLibraryTests.ppm(in: folder)))
    let (width, height) = (512, 600)
    return (Array(file.suffix(width * height * 3)), width, height)
  }

  private func write(_ bytes: [UInt8]) throws -> String {
    let path = folder.path("pixels-\(UUID().uuidString.prefix(8)).raw")
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  @Test("I1, I4: raw pixels, packed and planar, with a stride")
  func rawPixels() throws {
    let (rgb, width, height) = try pixels()
    expect(
      try face(["--raw", "rgb:512x600", try write(rgb)]), isAt: plain, within: 1.5)

    let stride = width + 24
    var nv12 = [UInt8](repeating: 0, count: stride * height * 3 / 2)
    for row in 0..<height {
      for column in 0..<width {
        let pixel = rgb[(row * width + column) * 3..<(row * width + column) * 3 + 3].map { Double($0) }
        let luma = 0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2]
        nv12[row * stride + column] = UInt8(16 + luma * 219 / 255)
        let chroma = (height + row / 2) * stride + column / 2 * 2
        nv12[chroma] = UInt8(128 + (pixel[2] - luma) / 1.8556 * 224 / 255)
        nv12[chroma + 1] = UInt8(128 + (pixel[0] - luma) / 1.5748 * 224 / 255)
      }
    }
    expect(
      try face(["--raw", "nv12:512x600:\(stride):bt709-video", try write(nv12)]), isAt: plain, within: 4)

    let small = try Command.faceEngine(["detect", "--raw", "rgb:512x601", try write(rgb)])
    #expect(small.status == 1)
    #expect(small.errors.contains("601 rows"))
  }

  @Test("I2, I6, K6: orientation given, mirrored, and of a turned camera")
  func orientations() throws {
    let (rgb, width, height) = try pixels()
    // Orientation 6 is upright after a clockwise turn by 90°, so the first stored row is the right column,
    // from the top.
    var turned = [UInt8](repeating: 0, count: rgb.count)
    // The same, mirrored first.
    var mirrored = turned
    for y in 0..<height {
      for x in 0..<width {
        for part in 0..<3 {
          let value = rgb[(y * width + x) * 3 + part]
          turned[((width - 1 - x) * height + y) * 3 + part] = value
          mirrored[(x * height + y) * 3 + part] = value
        }
      }
    }
    let upright = try face(["--raw", "rgb:512x600", try write(rgb)])
    let layout = ["--raw", "rgb:600x512"]
    expect(try face(layout + ["--orientation", "6", try write(turned)]), isAt: upright)
    expect(try face(layout + ["--camera", "90,0", try write(turned)]), isAt: upright)
    expect(
      try face(layout + ["--camera", "0,270,front", try write(turned)]), isAt: upright)
    expect(
      try face(
        layout + ["--orientation", "6", "--mirrored", try write(mirrored)]),
      isAt: upright)

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
      #expect(answer.map(\.faces.count) == [1, 1])
    }
    let other = try #require(try answers(["--use", "centerface", Checkout.photo], models: models).first)
    #expect(other.faces.count == 1)
    #expect(other.faces.first?.confidence != plain.confidence)
    #expect(try answers(["--min-face-size", "400", Checkout.photo]).first?.faces.isEmpty == true)
    #expect(
      try answers(["--min-confidence", "0.001", "--max-faces", "2", Checkout.photo]).first?.faces.count == 2)
  }

  @Test(
    "S11: a folder with yolov5n-0.5.param and .bin, as the older SDK has it", .needsBroughtModels, .needsNcnn)
  func aFolderOfTheOlderSDK() throws {
    let folder = "\(Checkout.broughtModels)/yolov5n-0.5"
    let engine = try RunningEngine(arguments: ["--model", folder])
    let here = try Command.faceEngine(["detect", "--json", "--model", folder, Checkout.photo])
    let there = try Command.faceEngine(
      ["detect", "--json", "--socket", engine.socket, "--use", "yolov5n-0.5", Checkout.photo])
    #expect(here.status == 0 && there.status == 0, "\(here.errors)\(there.errors)")
    #expect(here.output == there.output)
    let answer = try JSONDecoder().decode(Answer.self, from: Data(here.output.utf8))
    #expect(answer.faces.count == 1)
    expect(try #require(answer.faces.first), isAt: plain, within: 30)
  }

  @Test(
    "S12: the .onnx file that a package is made of finds what the package finds",
    arguments: ["yunet", "centerface"])
  func anONNXFile(name: String) throws {
    guard let file = try PublishedNetwork.unpack(name, into: folder) else { return }
    let engine = try RunningEngine(arguments: ["--model", file])
    let model = URL(filePath: file).deletingPathExtension().lastPathComponent
    // Runs in floats, without weights in eight bits.
    for (ending, path) in try Checkout.modelFiles("Models/\(name)".fromCheckout) where ending != "int8" {
      try folder.write("bare/\(name).\(ending)", try Data(contentsOf: URL(filePath: path)))
    }
    for photo in [Checkout.photo, Checkout.otherPhoto] {
      let here = try Command.faceEngine(["detect", "--json", "--model", file, photo])
      let there = try Command.faceEngine(
        ["detect", "--json", "--socket", engine.socket, "--use", model, photo])
      let package = try Command.faceEngine(["detect", "--json", "--model", folder.path("bare"), photo])
      #expect(here.status == 0 && there.status == 0, "\(here.errors)\(there.errors)")
      #expect(here.output == there.output)
      let answers = try [here, package].map {
        try JSONDecoder().decode(Answer.self, from: Data($0.output.utf8))
      }
      #expect(answers[0].faces.count == answers[1].faces.count && !answers[0].faces.isEmpty)
      for (one, other) in zip(answers[0].faces, answers[1].faces) {
        expect(one, isAt: other, within: 1e-3)
        #expect(abs(one.confidence - other.confidence) < 1e-4)
      }
    }
  }

  @Test("G6: heads of any roll")
  func rotations() throws {
    let standing = try face(["--rotations", "any", Checkout.photo])
    expect(standing, isAt: plain)
    let turned = try face(["--rotations", "any", "--pose", "--orientation", "3", Checkout.photo])
    #expect(abs(try #require(turned.pose).roll) > 165)
    let wrong = try Command.faceEngine(["detect", "--rotations", "some", Checkout.photo])
    #expect(wrong.status == 2)
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
    let (face, mask) = (try #require(answer.faces.first), try #require(answer.mask))
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
    #expect(try answers(["--region", "0,0,100,100", Checkout.photo]).first?.faces.isEmpty == true)
  }

  @Test("G5: given boxes; faces by their share of the width; the most prominent face")
  func givenBoxes() throws {
    let box = plain.box
    let given = [
      "\(box.x),\(box.y),\(box.width),\(box.height)", "\(box.x + 9),\(box.y - 9),\(box.width),\(box.height)",
    ]
    let flags = given.flatMap { ["--box", $0] } + ["--landmarks", "--pose", Checkout.photo]
    let faces = try #require(try answers(flags).first).faces
    #expect(faces.count == 2)
    let measured = try #require(faces.first)
    let searched = try face(["--landmarks", "--pose", Checkout.photo])
    #expect(measured.confidence == 1 && abs(measured.box.x - box.x) < 1e-3)
    let (pose, expected) = (try #require(measured.pose), try #require(searched.pose))
    #expect(abs(pose.roll - expected.roll) < 6 && abs(pose.yaw - expected.yaw) < 6)

    let share = box.width / 512
    #expect(try answers(["--min-face-share", "\(share * 1.1)", Checkout.photo]).first?.faces.isEmpty == true)
    #expect(
      try answers(["--min-face-share", "\(share * 0.9)", "--prominent-only", Checkout.photo]).first?.faces
        .count == 1)
  }

  @Test("T1, T2: ids, who has left, and an answer for a frame without a face")
  func tracking() throws {
    let nobody = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    let photo = Checkout.photo
    let frames = try answers(
      ["--track", "--max-missed-frames", "2", "--detection-interval", "1", "--min-hits", "1"]
        + [photo, photo, nobody, photo, nobody, nobody, nobody, photo, photo])
    #expect(frames.map { $0.faces.map(\.id) } == [[1], [1], [], [1], [], [], [], [2], [2]])
    #expect(frames.map { $0.faces.map(\.frameCount) } == [[1], [2], [], [3], [], [], [], [1], [2]])
    #expect(frames.compactMap(\.left) == [[1]])
    // By default it is followed by its landmarks from the second frame on.
    let followed = try answers(["--track", "--all", photo, photo, photo, photo])
    #expect(followed.map { $0.faces.map(\.id) } == [[1], [1], [1], [1]])
  }
}
