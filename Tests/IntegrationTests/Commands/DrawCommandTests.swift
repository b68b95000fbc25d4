import Foundation
import TestSupport
import Testing

/// `face-engine draw` and `face-engine crop`, in this process and by a running engine.
@Suite struct DrawCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var output: String { folder.path("out.png") }

  private func run(_ arguments: [String]) throws -> Command {
    try Command.faceEngine(arguments + ["--model", Checkout.model, "-o", output])
  }

  private func size(of path: String) throws -> [UInt32] {
    let header = [UInt8](try Data(contentsOf: URL(filePath: path)).prefix(24))
    return [16, 20].map { first in header[first..<first + 4].reduce(0) { $0 << 8 | UInt32($1) } }
  }

  @Test func drawingIsTheSameInProcessAndConnected() throws {
    let engine = try RunningEngine()
    let marks = [
      "--corners", "--landmarks", "both,mesh,contours,irises", "--ids", "--angles", "--confidences",
      "--filled", "--axes",
      "--label", "Grace", "--mask", "256,230,190,hollow", "--scale",
      "auto",
      "--overlay", "Examples/overlays/glasses.png,mirrored", "--font", "@cairo:",
    ]
    let here = try run(["draw", Checkout.photo] + marks)
    #expect(here.status == 0, "\(here.errors)")
    try Command.faceEngine(
      ["draw", Checkout.photo, "--socket", engine.socket, "-o", folder.path("there.png")] + marks
    ).succeeded()
    #expect(
      try Data(contentsOf: URL(filePath: output)) == Data(contentsOf: URL(filePath: folder.path("there.png")))
    )
    #expect(try size(of: output) == [512, 600])
  }

  /// detect --annotate saves what draw draws; the five points are the mesh's if that was requested.
  @Test func annotateSavesWhatDrawDraws() throws {
    #expect(try run(["draw", "--landmarks", "lines", Checkout.photo]).status == 0)
    try Command.faceEngine(
      [
        "detect", "--model", Checkout.model, "--landmarks", "--json", "--annotate", folder.path("other.png"),
        Checkout.photo,
      ]).succeeded()
    #expect(
      try Data(contentsOf: URL(filePath: output)) == Data(contentsOf: URL(filePath: folder.path("other.png")))
    )
  }

  /// draw, crop and detect --annotate keep the profile, the resolution and the transparency of their file.
  @Test func savedPicturesSayWhatTheirFileSays() throws {
    let (photo, clear) = (folder.path("photo.jpg"), "Tests/Fixtures/images/rgba.png".fromCheckout)
    let file = ICCProfile.adding(
      ICCProfile.rgb, toJPEG: [UInt8](try Data(contentsOf: URL(filePath: Checkout.photo))))
    try Data(file).write(to: URL(filePath: photo))
    func saved(_ arguments: [String], _ picture: String, _ name: String) throws -> Data {
      let target = folder.path(name)
      try Command.faceEngine(arguments + [target, "--model", Checkout.model, picture]).succeeded()
      return try Data(contentsOf: URL(filePath: target))
    }
    for arguments in [["draw", "-o"], ["crop", "-o"], ["detect", "--annotate"]] {
      let png = try saved(arguments, photo, "a.png")
      // 200 × 100 pixels per inch are 7874 × 3937 per metre.
      let resolution = Array("pHYs".utf8) + [0, 0, 0x1E, 0xC2, 0, 0, 0x0F, 0x61, 1]
      #expect(
        png.range(of: Data(resolution)) != nil && png.range(of: Data("iCCP".utf8)) != nil, "\(arguments)")
      let jpeg = try saved(arguments, photo, "a.jpg")
      #expect(jpeg.range(of: Data(ICCProfile.rgb)) != nil, "\(arguments)")
      #expect(Array(jpeg[13..<18]) == [1, 0, 200, 0, 100], "\(arguments)")
      if arguments[0] != "crop" {
        // The colour type is that of red, green, blue and alpha.
        #expect(try saved(arguments, clear, "b.png")[25] == 6, "\(arguments)")
        #expect(try saved(arguments, photo, "b.png")[25] == 2, "\(arguments)")
      }
    }
  }

  /// B1: no box is drawn unless asked for, and behind an opaque cover there is no face.
  @Test func coversReplaceTheOtherMarks() throws {
    func drawn(_ marks: [String]) throws -> Data {
      let command = try run(["draw", Checkout.photo] + marks)
      #expect(command.status == 0, "\(command.errors)")
      return try Data(contentsOf: URL(filePath: output))
    }
    for cover in [["--blur"], ["--pixelate"], ["--cover-picture", "Examples/overlays/glasses.png"]] {
      let covered = try drawn(cover)
      #expect(try covered == drawn(cover + ["--no-boxes", "--no-points"]))
      for change in [
        ["--boxes"], ["--points"], ["--cover-cells", "3"], ["--cover-margin", "0.5"], ["--ids"],
      ] {
        #expect(try covered != drawn(cover + change), "\(cover) \(change)")
      }
    }
    _ = try drawn(["--blur", "--cover-shape", "box", "--cover-colour", "black"])
    #expect(try Command.faceEngine(["detect", "--model", Checkout.model, output]).output.contains("no face"))
    for wrong in [["--cover-cells", "17"], ["--cover-margin", "-1"], ["--pixelate"]] {
      #expect(try run(["draw", Checkout.photo, "--blur"] + wrong).status == 2, "\(wrong)")
    }
  }

  /// B4: a JPEG's EXIF has a thumbnail of the whole photo, with its face.
  @Test func theThumbnailIsNotKept() throws {
    let small = folder.path("small.jpg")
    try Command.run(
      "bash", ["-c", "djpeg -scale 1/4 \"$0\" | cjpeg -quality 60 > \"$1\"", Checkout.photo, small]
    ).succeeded()
    let thumbnail = try Data(contentsOf: URL(filePath: small))
    func big(_ number: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    // The first directory is empty; the second has the thumbnail's compression, place and length.
    let directory =
      [0x01, 0x03, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0] + [0x02, 0x01, 0, 4, 0, 0, 0, 1] + big(56, 4)
      + [0x02, 0x02, 0, 4, 0, 0, 0, 1] + big(thumbnail.count, 4)
    let exif =
      Array("Exif\0\0MM\0*".utf8) + big(8, 4) + big(0, 2) + big(14, 4) + big(3, 2) + directory + big(0, 4)
      + thumbnail
    let photo = folder.path("photo.jpg")
    let whole =
      Data([0xFF, 0xD8, 0xFF, 0xE1] + big(exif.count + 2, 2) + exif)
      + (try Data(contentsOf: URL(filePath: Checkout.photo))).dropFirst(2)
    try whole.write(to: URL(filePath: photo))
    for name in ["a.jpg", "a.png", "a.webp"] {
      let target = folder.path(name)
      try Command.faceEngine(
        ["draw", "--blur", photo, "--model", Checkout.model, "-o", target]).succeeded()
      let saved = try Data(contentsOf: URL(filePath: target))
      #expect(
        saved.range(of: thumbnail.suffix(500)) == nil && saved.range(of: Data("Exif".utf8)) == nil, "\(name)")
      // A second picture would have a start of its own.
      #expect(name != "a.jpg" || saved.ranges(of: Data([0xFF, 0xD8, 0xFF])).count == 1)
    }
  }

  /// D6
  @Test(
    arguments: [
      ([], [300, 300]), (["--size", "120x200", "--margin", "0.4", "--headroom", "0.1"], [120, 200]),
      (["--aligned"], [112, 112]), (["--aligned", "--size", "224x224"], [224, 224]),
    ] as [([String], [UInt32])])
  func anAvatarHasItsSize(arguments: [String], expected: [UInt32]) throws {
    let command = try run(["crop", Checkout.photo] + arguments)
    #expect(command.status == 0, "\(command.errors)")
    #expect(try size(of: output) == expected)
    // The crop still contains the face.
    let again = try Command.faceEngine(["detect", "--model", Checkout.model, output])
    #expect(again.output.contains("1 face"))
  }

  /// B5: beside the face that is kept, its neighbour is blurred.
  @Test func otherFacesOfACropAreBlurred() throws {
    let pair = folder.path("pair.ppm")
    try Command.run(
      "bash", ["-c", "djpeg -pnm \"$0\" > \"$1\"", Checkout.photo, folder.path("one.ppm")]
    ).succeeded()
    let one = try Data(contentsOf: URL(filePath: folder.path("one.ppm"))).suffix(512 * 600 * 3)
    var rows = Data("P6\n1024 600\n255\n".utf8)
    for y in 0..<600 {
      let row = one.dropFirst(y * 1536).prefix(1536)
      rows += row + row
    }
    try rows.write(to: URL(filePath: pair))
    let photo = folder.path("pair.jpg")
    try Command.run("bash", ["-c", "cjpeg -quality 95 \"$0\" > \"$1\"", pair, photo]).succeeded()
    // The whole picture, whose left face is kept.
    let crop = ["crop", photo, "--face", "1", "--size", "1024x600"]
    #expect(try run(crop).status == 0)
    let plain = try [UInt8](Data(contentsOf: URL(filePath: output))).decoded()
    let command = try run(crop + ["--blur-others"])
    #expect(command.status == 0, "\(command.errors)")
    let blurred = try [UInt8](Data(contentsOf: URL(filePath: output))).decoded()
    func changed(_ xs: Range<Int>) -> Int {
      (150..<300).reduce(0) { sum, y in sum + xs.count { plain[$0, y] != blurred[$0, y] } }
    }
    let (left, right) = (changed(210..<320), changed(722..<832))
    #expect(min(left, right) == 0 && max(left, right) > 15_000, "\(left) \(right)")
    #expect(try run(["crop", photo, "--face", "1", "--aligned", "--blur-others"]).status == 2)
  }

  /// No face, or one that does not fit: that is reported, and nothing is written.
  @Test func cropThatCannotBeMadeIsReported() throws {
    func refused(_ arguments: [String], _ reason: String) throws {
      let command = try run(["crop"] + arguments)
      #expect(command.status == 1 && command.errors.contains(reason), "\(command.errors)")
      #expect(!FileManager.default.fileExists(atPath: output))
    }
    let empty = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    try refused([empty], "no face")
    try refused([Checkout.photo, "--margin", "2"], "margin")
    try refused([Checkout.photo, "--size", "800x100"], "cut off the face")
  }

  @Test func unreadableOverlayIsNamed() throws {
    for file in [folder.path("none.png"), "README.md".fromCheckout] {
      let command = try run(["draw", Checkout.photo, "--overlay", file])
      #expect(command.status == 1 && command.errors.contains(file), "\(command.errors)")
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }
}
