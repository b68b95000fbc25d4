import FaceCore
import Imaging
import Testing

@Suite struct TurnedViewTests {
  @Test func theWholePictureIsInView() {
    let picture = PixelSize(width: 640, height: 360)
    for roll in stride(from: Float(-180), through: 180, by: 22.5) {
      let view = TurnedView(of: picture, roll: roll, maxPixels: .max)
      let fromImage = view.toImage.inverse
      for corner in [
        Point(x: 0, y: 0), Point(x: 640, y: 0), Point(x: 0, y: 360), Point(x: 640, y: 360),
      ] {
        let place = fromImage(corner)
        #expect(place.x > -1 && place.x < Float(view.size.width) + 1, "\(roll)")
        #expect(place.y > -1 && place.y < Float(view.size.height) + 1, "\(roll)")
      }
      let middle = view.toImage(
        Point(x: Float(view.size.width) / 2, y: Float(view.size.height) / 2))
      #expect(abs(middle.x - 320) < 0.01 && abs(middle.y - 180) < 0.01)
      #expect(abs(view.toImage.areaScale - 1) < 1e-6)
    }
  }

  /// The direction to the right in the view is the one across a head of that roll in the picture.
  @Test func viewTurnsHeadsOfItsRollUpright() {
    let view = TurnedView(of: PixelSize(width: 200, height: 100), roll: 90, maxPixels: .max)
    #expect(view.size == PixelSize(width: 100, height: 200))
    let (from, to) = (view.toImage(Point(x: 0, y: 0)), view.toImage(Point(x: 10, y: 0)))
    #expect(abs(to.x - from.x) < 1e-3 && abs(to.y - from.y - 10) < 1e-3)
  }

  @Test func viewKeepsItsPixelLimit() {
    let picture = PixelSize(width: 1024, height: 768)
    let view = TurnedView(of: picture, roll: 45, maxPixels: 1024 * 768)
    let pixels = Double(view.size.width * view.size.height) / (1024 * 768)
    #expect(pixels > 0.99 && pixels < 1.01)
    #expect(abs(view.toImage.areaScale - 2.04) < 0.01)
  }
}
