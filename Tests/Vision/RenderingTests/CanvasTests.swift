import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

@Suite struct CanvasTests {
  private static let red = Colour(red: 1, green: 0, blue: 0)

  private func drawn(_ draw: (borrowing Canvas) -> Void) throws -> Picture {
    try Drawing.of(80, 60) { draw($0) }
  }

  @Test(arguments: [(16, 16), (37, 23), (65, 129)])
  func pictureIsWrittenUnchanged(width: Int, height: Int) throws {
    let picture = Picture.noise(width, height, seed: 60)
    let canvas = try Canvas(try picture.bitmap())
    #expect(canvas.size == picture.size)
    #expect(try canvas.png().decoded() == picture)
  }

  /// A line of 4 lies 2 to each side of the box's edge; whole coordinates are edges of pixels, so all is
  /// exact.
  @Test func aBoxIsAFrameRoundItsEdges() throws {
    let picture = try drawn {
      $0.strokeRectangle(Box(x: 20, y: 10, width: 30, height: 40), width: 4, colour: Self.red)
    }
    for y in 0..<60 {
      for x in 0..<80 {
        let outside = x < 18 || x >= 52 || y < 8 || y >= 52
        let inside = (22..<48).contains(x) && (12..<48).contains(y)
        let corner = (x < 20 || x >= 50) && (y < 10 || y >= 50)
        if outside || inside {
          #expect(picture[x, y] == Drawing.ground, "\(x) \(y)")
        } else if !corner {  // which is round
          #expect(picture[x, y] == RGB(255, 0, 0), "\(x) \(y)")
        }
      }
    }
  }

  @Test func aPointIsACircleRoundItsCentre() throws {
    let centre = Point(x: 30.5, y: 20)
    let picture = try drawn { $0.fillCircle(centre: centre, diameter: 8, colour: Self.red) }
    for y in 0..<60 {
      for x in 0..<80 {
        let (dx, dy) = (Float(x) + 0.5 - centre.x, Float(y) + 0.5 - centre.y)
        let distance = (dx * dx + dy * dy).squareRoot()
        if distance < 3 { #expect(picture[x, y] == RGB(255, 0, 0), "\(x) \(y)") }
        if distance > 5 { #expect(picture[x, y] == Drawing.ground, "\(x) \(y)") }
      }
    }
  }

  @Test func halfOpaqueColourMixesWithTheGround() throws {
    let picture = try drawn {
      $0.fillCircle(
        centre: Point(x: 40, y: 30), diameter: 20, colour: Colour(red: 1, green: 1, blue: 1, alpha: 0.5))
    }
    let expected = RGB(178, 178, 178)  // halfway from the ground to 255
    #expect(picture[40, 30].distance(to: expected) <= 1)
  }

  /// A box may leave the picture, and an invalid one causes no failure.
  @Test func marksOutsideThePictureAreCutOff() throws {
    let picture = try drawn {
      $0.strokeRectangle(Box(x: -20, y: -20, width: 60, height: 60), width: 4, colour: Self.red)
      $0.fillCircle(centre: Point(x: 1000, y: -1000), diameter: 8, colour: Self.red)
    }
    #expect(picture[40, 5] == RGB(255, 0, 0))
    #expect(picture[5, 40] == RGB(255, 0, 0))
    #expect(picture[5, 5] == Drawing.ground)
    #expect(picture[60, 50] == Drawing.ground)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
  func nonFinitePlacesDoNotAffectTheNextMark(value: Float) throws {
    let picture = try drawn {
      $0.strokeRectangle(Box(x: value, y: 0, width: 10, height: value), width: 4, colour: Self.red)
      $0.fillCircle(centre: Point(x: 10, y: value), diameter: 8, colour: Self.red)
      $0.fillCircle(centre: Point(x: 60, y: 40), diameter: 8, colour: Self.red)
    }
    #expect(picture[60, 40] == RGB(255, 0, 0))
    #expect(picture[70, 20] == Drawing.ground)
  }
}
