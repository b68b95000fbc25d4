import Testing
import Tracking

@Suite struct AlignedAppearanceTests {
  private func difference(_ one: MadeUpHead, _ other: MadeUpHead) throws -> Float {
    let (one, other) = (try #require(one.appearance), try #require(other.appearance))
    let difference = one.difference(from: other)
    #expect(abs(difference - other.difference(from: one)) < 1e-5)
    return difference
  }

  @Test func theSamePictureDoesNotDiffer() throws {
    for seed in 1...20 { #expect(try difference(MadeUpHead(seed: seed), MadeUpHead(seed: seed)) < 1e-4) }
  }

  @Test func otherHeadsDiffer() throws {
    for seed in 1...20 {
      for other in 21...40 {
        #expect(try difference(MadeUpHead(seed: seed), MadeUpHead(seed: other)) > 0.5, "\(seed) \(other)")
      }
    }
  }

  @Test(arguments: [0.5, 0.75, 1.25] as [Float]) func exposureMattersLittle(_ light: Float) throws {
    for seed in 1...20 {
      let head = MadeUpHead(seed: seed)
      #expect(try difference(head, head.changed { _, _, pixel in pixel * light }) < 0.15, "\(seed)")
    }
  }

  @Test func lightFromOneSideMattersLittle() throws {
    for seed in 1...20 {
      let head = MadeUpHead(seed: seed)
      #expect(try difference(head, head.changed { x, _, pixel in pixel * (0.8 + 0.4 * x) }) < 0.2, "\(seed)")
    }
  }

  @Test func theBackgroundDoesNotCount() throws {
    for seed in 1...20 {
      let (head, other) = (MadeUpHead(seed: seed), MadeUpHead(seed: seed + 50))
      // The cells at the border of the hair share some of their pixels with what is around.
      #expect(try difference(head, head.exchanged(with: other)) < 0.15, "\(seed)")
      #expect(try difference(head, other.exchanged(with: head)) > 0.4, "\(seed)")
    }
  }

  @Test func aPictureWithoutContrastHasNone() {
    #expect(MadeUpHead.flat.appearance == nil)
    #expect(MadeUpHead.flat.changed { x, _, pixel in pixel + 8 * x }.appearance == nil)
  }
}
