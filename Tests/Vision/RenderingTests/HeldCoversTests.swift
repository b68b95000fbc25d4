import FaceCore
import Rendering
import Testing

@Suite struct HeldCoversTests {
  private func face(_ id: UInt64?, x: Float = 100) -> Face {
    var face = Face(box: Box(x: x, y: 50, width: 40, height: 60), confidence: 1, points: nil)
    face.track = id.map { Track(id: $0, frameCount: 1) }
    return face
  }

  /// A lost face stays covered where it was last, a little larger, until the time is over.
  @Test func aLostFaceIsHeld() {
    var covers = HeldCovers(for: 500)
    #expect(covers.boxes(besides: [face(1), face(2, x: 300)], at: 1000).isEmpty)
    #expect(covers.boxes(besides: [face(1, x: 110), face(2, x: 300)], at: 1040).isEmpty)
    for time in [UInt64(1080), 1540] {
      let held = covers.boxes(besides: [face(2, x: 300)], at: time)
      #expect(held == [Box(x: 104, y: 41, width: 52, height: 78)])
    }
    #expect(covers.boxes(besides: [face(2, x: 300)], at: 1541).isEmpty)
  }

  @Test func aFaceThatReturnsIsNotCoveredTwice() {
    var covers = HeldCovers(for: 500)
    _ = covers.boxes(besides: [face(1)], at: 0)
    #expect(covers.boxes(besides: [], at: 40).count == 1)
    #expect(covers.boxes(besides: [face(1, x: 130)], at: 80).isEmpty)
    #expect(covers.boxes(besides: [], at: 580).count == 1)
  }

  /// Faces without an id cannot be followed, and a stream that begins anew has earlier times.
  @Test func nothingIsHeldWithoutAnIDOrFromLaterTimes() {
    var covers = HeldCovers(for: 500)
    _ = covers.boxes(besides: [face(nil)], at: 1000)
    #expect(covers.boxes(besides: [], at: 1040).isEmpty)
    _ = covers.boxes(besides: [face(1)], at: 2000)
    #expect(covers.boxes(besides: [], at: 40).isEmpty)
    var none = HeldCovers(for: 0)
    _ = none.boxes(besides: [face(1)], at: 0)
    #expect(none.boxes(besides: [], at: 1).isEmpty)
  }
}
