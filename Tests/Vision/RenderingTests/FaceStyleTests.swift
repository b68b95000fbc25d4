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
      let style = adjusted(FaceStyle()) { $0.boxWidth = width }
      expectFailure(.invalidArgument) { try style.validate() }
    }
  }

  @Test(arguments: [UInt32(0x1234_5678), 0xFF00_00FF, 0, .max])
  func colourRoundTripsThroughRGBA(rgba: UInt32) { #expect(Colour(rgba: rgba).rgba == rgba) }

  /// The distance of the colours of two ids, 0…3.
  private func distance(_ a: UInt64, _ b: UInt64) -> Float {
    let (a, b) = (Colour(id: a), Colour(id: b))
    return abs(a.red - b.red) + abs(a.green - b.green) + abs(a.blue - b.blue)
  }

  /// An id always has the same colour, and its neighbours have others.
  @Test func coloursStayWithIDs() {
    #expect([1, 2, 3].map { Colour(id: $0).rgba } == [0x1755_EBFF, 0xCFFF_8CFF, 0xEB17_D0FF])
    for id in UInt64(1)...200 {
      for next in 1...3 { #expect(distance(id, id + UInt64(next)) > 0.3, "\(id) \(next)") }
    }
    #expect(Colour(id: .max).alpha == 1)
  }

  /// The line width of a box with a side of `side` pixels, in pixels that differ from the ground.
  private func lineWidth(side: Float, _ style: FaceStyle) throws -> Int {
    let canvas = try Canvas(try Picture(1000, 40) { _, _ in RGB(0, 0, 0) }.bitmap())
    let box = Box(x: 500, y: 20 - side / 2, width: side, height: side)
    canvas.draw([Face(box: box, confidence: 1, points: nil)], style: style)
    return try canvas.withBitmap { (bitmap) throws(Status) in
      let picture = Picture(bitmap)
      return (400..<550).filter { picture[$0, 20] != RGB(0, 0, 0) }.count
    }
  }

  @Test func lineWidthScalesWithTheFace() throws {
    var style = FaceStyle()
    style.antialias = false
    style.boxWidth = 8
    #expect(try [200, 100, 400].map { try lineWidth(side: $0, style) } == [8, 8, 8])
    style.scalesToFaces = true
    #expect(try lineWidth(side: 200, style) == 8)
    #expect(try lineWidth(side: 100, style) == 4)
    #expect((11...12).contains(try lineWidth(side: 400, style)))
    style.boxWidth = 0
    #expect(try lineWidth(side: 200, style) == 0)
  }
}

@Suite struct MeshTopologyTests {
  /// The trails pass along each edge once.
  @Test func edgesAreThoseOfTheMesh() {
    var edges: Set<[UInt16]> = []
    var count = 0
    for trail in MeshTopology.trails {
      for (from, to) in zip(trail, trail.dropFirst()) {
        edges.insert([min(from, to), max(from, to)])
        count += 1
      }
    }
    #expect(count == 1322 && edges.count == count)
    let listed = Landmarks.edges
    #expect(edges == Set(stride(from: 0, to: listed.count, by: 2).map { Array(listed[$0..<$0 + 2]) }))
  }
}
