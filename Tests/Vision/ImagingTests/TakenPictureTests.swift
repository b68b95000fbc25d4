import FaceCore
import Imaging
import TestSupport
import Testing

/// The pictures in the result of a guided check.
@Suite struct TakenPictureTests {
  private func face(_ box: Box) -> Face { Face(box: box, confidence: 1, points: nil) }

  /// The size of the picture and the face's place in it are known without pixels.
  @Test(
    arguments: [(64, 48), (4096, 17), (4097, 31), (40, 8192), (5001, 40)], [Orientation.up, .rightMirrored])
  func sizeIsKnownWithoutPixels(sides: (Int, Int), orientation: Orientation) throws {
    let stored = orientation.uprightSize(of: PixelSize(width: sides.0, height: sides.1))
    let bytes = [UInt8](repeating: 7, count: stored.width * stored.height)
    let options = CheckOptions()
    try bytes.span.withUnsafeBytes { bytes throws(Status) in
      let view = try ImageView(format: .gray, width: stored.width, height: stored.height, bytes: bytes)
      let image = try UprightImage(ImageInput(.pixels(view), orientation: orientation))
      #expect(image.size == PixelSize(width: sides.0, height: sides.1))
      let result = CheckResult(
        face(Box(x: 0, y: 0, width: Float(sides.0), height: Float(sides.1))), in: image.size, options)
      #expect(result.picture.form == .keptByCaller && result.picture.bytes.isEmpty)
      let shown = try result.showing(try TakenPicture(image), options)
      #expect(shown.picture.size == result.picture.size && shown.crop.size == result.crop.size)
      #expect(shown.picture.size.longSide == min(4096, max(sides.0, sides.1)))
      #expect(
        result.face.box
          == Box(
            x: 0, y: 0, width: Float(result.picture.size.width), height: Float(result.picture.size.height)))
      #expect(shown.face == result.face && shown.cropBox == result.cropBox)
    }
  }

  /// At the picture's own scale, the crop is the part of it that its box covers.
  @Test func theCropIsPartOfThePicture() throws {
    let picture = Picture.noise(120, 90, seed: 5)
    let options = adjusted(CheckOptions()) { ($0.cropSize, $0.cropMargin) = (60, 0.25) }
    try picture.withView(.rgb, padding: 3) { (view) throws(Status) in
      let taken = try TakenPicture(try UprightImage(ImageInput(.pixels(view)), willCrop: true))
      let bare = CheckResult(
        face(Box(x: 35, y: 20, width: 30, height: 40)), in: picture.size, options)
      #expect(bare.cropBox == Box(x: 20, y: 10, width: 60, height: 60))
      let result = try bare.showing(taken, options)
      #expect(result.picture.size == picture.size && result.crop.size == PixelSize(width: 60, height: 60))
      for y in 0..<90 {
        for x in 0..<120 {
          let place = 4 * (120 * y + x)
          let colour = RGB(
            result.picture.bytes[place + 2], result.picture.bytes[place + 1], result.picture.bytes[place])
          #expect(colour == picture[x, y])
          guard (20..<80).contains(x), (10..<70).contains(y) else { continue }
          let there = 4 * (60 * (y - 10) + x - 20)
          #expect(result.crop.bytes[there..<there + 3] == result.picture.bytes[place..<place + 3])
        }
      }
    }
  }

  @Test func encodedPicturesKeepTheirSizeLimit() throws {
    let picture = Picture.noise(200, 200, seed: 8)
    let options = CheckOptions()
    try picture.withView(.bgra) { (view) throws(Status) in
      let taken = try TakenPicture(try UprightImage(ImageInput(.pixels(view)), willCrop: true))
      let bare = CheckResult(face(Box(x: 50, y: 50, width: 80, height: 80)), in: picture.size, options)
      let result = try bare.showing(taken, options, maxBytes: 400_000)
      #expect(result.picture.form == .jpeg && result.picture.bytes.count <= 300_000)
      #expect(result.crop.form == .jpeg && result.crop.bytes.count <= 100_000)
      expectFailure(.resourceExhausted) { try bare.showing(taken, options, maxBytes: 400) }
    }
  }
}
