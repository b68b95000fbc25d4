import FaceCore
import Rendering
import TestSupport
import Testing

@Suite struct FaceStyleTests {
  @Test func lengthsGrowWithThePicture() throws {
    #expect(FaceStyle.factor(for: PixelSize(width: 500, height: 2000)) == 2)
    let scaled = FaceStyle().scaled(by: 2)
    #expect(
      scaled.boxWidth == 8 && scaled.pointSize == 16 && scaled.circleWidth == 8 && scaled.textSize == 40)
    for width in [Float.nan, -1, 2000] {
      var style = FaceStyle()
      style.boxWidth = width
      #expect(failure { () throws(Status) in try style.validate() }?.code == .invalidArgument)
    }
  }

  @Test(arguments: [UInt32(0x1234_5678), 0xFF00_00FF, 0, .max])
  func coloursAreTheirNumbers(rgba: UInt32) { #expect(Colour(rgba: rgba).rgba == rgba) }
}
