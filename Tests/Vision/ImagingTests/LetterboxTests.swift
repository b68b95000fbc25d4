import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct LetterboxTests {
  private static let multiples = [1, 8, 32, 64]
  private static let bounds = [0, 16, 100, 320, 640, 1024, 8192]

  /// Many sizes of images, bounds and multiples.
  private static let letterboxes: [(letterbox: Letterbox, maxSide: Int, multiple: Int)] = {
    var generator = SeededGenerator(seed: 10)
    return (0..<300).flatMap { _ in
      let image = PixelSize(
        width: Int.random(in: 16...8192, using: &generator),
        height: Int.random(in: 16...8192, using: &generator))
      return bounds.flatMap { side in
        multiples.map { (Letterbox(image: image, maxSide: side, multiple: $0), side, $0) }
      }
    }
  }()

  /// The long side is reduced to the bound and never enlarged. The short side is rounded, so it is off by half a pixel
  /// at most, and never zero. The input has the next multiples.
  @Test func contentAndInputHaveTheirSizes() {
    for (letterbox, maxSide, multiple) in Self.letterboxes {
      let (image, content, input) = (letterbox.image, letterbox.content, letterbox.input)
      #expect(content.longSide == (maxSide == 0 ? image.longSide : min(image.longSide, maxSide)))
      let scale = Double(content.longSide) / Double(image.longSide)
      for (input, side, original) in [
        (input.width, content.width, image.width), (input.height, content.height, image.height),
      ] {
        #expect(side >= 1 && (abs(Double(side) - Double(original) * scale) <= 0.501 || side == 1))
        #expect(input % multiple == 0 && input >= side && input - side < multiple)
      }
    }
  }

  /// There and back is the same place, and the content fills the image exactly, whatever the rounding.
  @Test func placesAreMapped() {
    for (letterbox, _, _) in Self.letterboxes {
      let (width, height) = (Float(letterbox.image.width), Float(letterbox.image.height))
      for (x, y) in [(0, 0), (1, 1), (0.25, 0.75), (-0.1, 1.2)] as [(Float, Float)] {
        let point = Point(x: x * width, y: y * height)
        let back = letterbox.toImage(letterbox.toInput(point))
        #expect(abs(back.x - point.x) < 0.01 && abs(back.y - point.y) < 0.01)
      }
      let corner = Point(x: Float(letterbox.content.width), y: Float(letterbox.content.height))
      let box = letterbox.toImage(Box(x: 0, y: 0, width: corner.x, height: corner.y))
      let end = letterbox.toImage(corner)
      #expect(box.x == 0 && box.y == 0 && abs(box.width - width) < 0.01 && abs(box.height - height) < 0.01)
      #expect(abs(end.x - box.width) < 0.01 && abs(end.y - box.height) < 0.01)
    }
  }
}
