import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct LetterboxTests {
  private static let multiples = [1, 8, 32, 64]
  private static let bounds = [0, 16, 100, 320, 640, 1024, 8192]

  private func forEachOfMany(_ body: (Letterbox, _ maxSide: Int, _ multiple: Int) -> Void) {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<300 {
      let image = PixelSize(
        width: Int.random(in: 16...8192, using: &generator),
        height: Int.random(in: 16...8192, using: &generator))
      for maxSide in Self.bounds {
        for multiple in Self.multiples {
          body(Letterbox(image: image, maxSide: maxSide, multiple: multiple), maxSide, multiple)
        }
      }
    }
  }

  @Test func longSideIsReducedToTheBoundAndNeverEnlarged() {
    forEachOfMany { letterbox, maxSide, _ in
      if maxSide == 0 || letterbox.image.longSide <= maxSide {
        #expect(letterbox.content == letterbox.image)
      } else {
        #expect(letterbox.content.longSide == maxSide)
      }
    }
  }

  /// The short side is rounded, so it is off by half a pixel at most, and never zero.
  @Test func theAspectIsKept() {
    forEachOfMany { letterbox, _, _ in
      let image = letterbox.image
      let content = letterbox.content
      let scale = Double(content.longSide) / Double(image.longSide)
      for (side, original) in [(content.width, image.width), (content.height, image.height)] {
        #expect(abs(Double(side) - Double(original) * scale) <= 0.501 || side == 1)
        #expect(side >= 1)
      }
    }
  }

  @Test func inputSizeIsTheNextMultiple() {
    forEachOfMany { letterbox, _, multiple in
      for (side, content) in [
        (letterbox.input.width, letterbox.content.width), (letterbox.input.height, letterbox.content.height),
      ] {
        #expect(side % multiple == 0)
        #expect(side >= content && side - content < multiple)
      }
    }
  }

  @Test func thereAndBackIsTheSamePlace() {
    let corners: [(Float, Float)] = [(0, 0), (1, 1), (0.25, 0.75), (-0.1, 1.2)]
    forEachOfMany { letterbox, _, _ in
      for (x, y) in corners {
        let point = Point(x: x * Float(letterbox.image.width), y: y * Float(letterbox.image.height))
        let back = letterbox.toImage(letterbox.toInput(point))
        #expect(abs(back.x - point.x) < 0.01 && abs(back.y - point.y) < 0.01)
      }
    }
  }

  /// The content fills the image exactly, whatever the rounding.
  @Test func contentCornersMapToImageCorners() {
    forEachOfMany { letterbox, _, _ in
      let box = letterbox.toImage(
        Box(x: 0, y: 0, width: Float(letterbox.content.width), height: Float(letterbox.content.height)))
      let corner = letterbox.toImage(
        Point(x: Float(letterbox.content.width), y: Float(letterbox.content.height)))
      #expect(box.x == 0 && box.y == 0)
      #expect(abs(box.width - Float(letterbox.image.width)) < 0.01)
      #expect(abs(box.height - Float(letterbox.image.height)) < 0.01)
      #expect(abs(corner.x - box.width) < 0.01 && abs(corner.y - box.height) < 0.01)
    }
  }
}
