import Testing
import Tracking

@Suite struct FaceAppearanceTests {
  /// An appearance equals itself, whatever it shows.
  @Test(arguments: [1, 7, 40]) func appearanceDoesNotDifferFromItself(seed: Int) throws {
    let appearance = try #require(MadeUpFace(seed: seed).appearance)
    #expect(abs(appearance.difference(from: appearance)) < 1e-5)
  }

  @Test func differenceIsSymmetric() throws {
    let (one, other) = (
      try #require(MadeUpFace(seed: 1).appearance), try #require(MadeUpFace(seed: 2).appearance)
    )
    let difference = one.difference(from: other)
    #expect(difference == other.difference(from: one))
    #expect(difference > 1.2)
  }

  /// A light that is turned on or off or has another colour, with a camera that adapts to it.
  @Test(arguments: [
    SIMD3<Float>(0.5, 0.5, 0.5), SIMD3(0.3, 0.3, 0.3), SIMD3(1.15, 1, 0.85), SIMD3(0.6, 0.7, 1.2),
    SIMD3(0.4, 1, 0.5),
  ])
  func anotherLightIsNoOtherFace(light: SIMD3<Float>) throws {
    let face = MadeUpFace(seed: 3)
    let lit = try #require(face.lit(light).appearance)
    #expect(try #require(face.appearance).difference(from: lit) < 0.3)
  }

  /// The background of a face, in the corners of the square, is not compared.
  @Test func backgroundIsNotCompared() throws {
    let face = MadeUpFace(seed: 5)
    var moved = face
    for (x, y) in [(0, 0), (1, 0), (0, 1), (15, 0), (14, 1), (0, 15), (15, 14), (15, 15)] {
      moved[x, y] = SIMD3(9, 250, 9)
    }
    #expect(try #require(moved.appearance).difference(from: #require(face.appearance)) < 1e-5)
  }

  @Test(arguments: [Float(0), 128, 255]) func pictureWithoutContrastHasNoAppearance(grey: Float) {
    var flat = MadeUpFace(seed: 1)
    for y in 0..<FaceAppearance.side {
      for x in 0..<FaceAppearance.side { flat[x, y] = SIMD3(grey, grey, grey) }
    }
    #expect(flat.appearance == nil)
  }

  /// Compared with the definition, in which luma has no steps.
  @Test(arguments: [(1, 2), (3, 4), (8, 20)]) func differenceAgreesWithItsDefinition(one: Int, other: Int)
    throws
  {
    let faces = [MadeUpFace(seed: one), MadeUpFace(seed: other)]
    let appearances = try faces.map { try #require($0.appearance) }
    #expect(
      abs(appearances[0].difference(from: appearances[1]) - faces[0].naiveDifference(from: faces[1])) < 0.08)
  }
}
