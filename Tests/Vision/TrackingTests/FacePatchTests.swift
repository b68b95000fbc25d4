import FaceCore
import Testing
import Tracking

import func Foundation.sin

@Suite struct FacePatchTests {
  private static let side = FacePatch.side

  /// The value at a place of a scene without edges, 0…255.
  private static func scene(_ x: Double, _ y: Double, _ seed: Double) -> Double {
    128 + 40 * sin(0.45 * x + seed) + 30 * sin(0.38 * y + 2 * seed) + 25 * sin(0.3 * (x + y) + 3 * seed)
  }

  /// - Parameter place: maps a pixel of the patch to the scene.
  private func patch(
    seed: Double = 1, gain: Double = 1, _ place: (Double, Double) -> (x: Double, y: Double) = { ($0, $1) }
  ) -> FacePatch? {
    var bytes: [UInt8] = []
    for row in 0..<Self.side {
      for column in 0..<Self.side {
        let at = place(Double(column) + 0.5, Double(row) + 0.5)
        let level = UInt8((Self.scene(at.x, at.y, seed) * gain).rounded())
        bytes += [level, level, level, 7]
      }
    }
    return bytes.withUnsafeBytes { FacePatch($0) }
  }

  @Test func identicalPatchHasNoMotion() throws {
    let still = try #require(patch())
    #expect(still.motion(in: still) == AffineMap())
  }

  /// Shifts are by fractions of a pixel and by several pixels.
  @Test(arguments: [(0.1, 0), (0, -0.3), (0.5, 0.5), (-1.7, 0.4), (2.2, -1.5)])
  func aShiftIsFound(x: Double, y: Double) throws {
    let before = try #require(patch())
    let after = try #require(patch { ($0 - x, $1 - y) })
    let motion = try #require(before.motion(in: after))
    let (there, middle) = (motion(12, 12), 12.0)
    #expect(abs(there.x - middle - x) < 0.05 && abs(there.y - middle - y) < 0.05, "\(there)")
    // The way back is the same, also from a nearby start.
    let back = try #require(after.motion(in: before, from: AffineMap(dx: -x / 2, dy: -y / 2)))
    let home = back(there.x, there.y)
    #expect(abs(home.x - middle) < 0.1 && abs(home.y - middle) < 0.1)
  }

  @Test(arguments: [(1.04, 0.0), (0.96, 0), (1, 0.05), (1.02, -0.04)])
  func aScaleAndATurnAreFound(scale: Double, turn: Double) throws {
    let map = AffineMap(
      xx: scale, xy: -turn, dx: 12 - scale * 12 + turn * 12, yx: turn, yy: scale,
      dy: 12 - turn * 12 - scale * 12)
    let before = try #require(patch())
    let after = try #require(patch { map.inverse($0, $1) })
    let motion = try #require(before.motion(in: after))
    #expect(abs(motion.xx - scale) < 0.01 && abs(motion.yx - turn) < 0.01, "\(motion)")
  }

  @Test(arguments: [0.5, 0.8, 1.1]) func changeOfLightIsNoMotion(gain: Double) throws {
    let lit = try #require(patch(gain: gain))
    let unlit = try #require(patch())
    let motion = try #require(unlit.motion(in: lit))
    let there = motion(12, 12)
    #expect(abs(there.x - 12) < 0.02 && abs(there.y - 12) < 0.02)
  }

  @Test func differentOrDistantPatchHasNoMotion() throws {
    let before = try #require(patch())
    let another = try #require(patch(seed: 2.5))
    let far = try #require(patch { ($0 + 9, $1 - 7) })
    #expect(before.motion(in: another) == nil)
    #expect(before.motion(in: far) == nil)
    #expect(before.motion(in: before, from: AffineMap(dx: .infinity, dy: 0)) == nil)
  }

  @Test func pictureWithoutContrastHasNoMotion() {
    let grey = [UInt8](repeating: 90, count: Self.side * Self.side * 4)
    #expect(grey.withUnsafeBytes { FacePatch($0) } == nil)
  }

  /// Edges that all run one way do not show a movement along them.
  @Test func stripesAreNotFollowed() throws {
    let stripes = try #require(patch { x, _ in (x, 0) })
    #expect(stripes.motion(in: stripes) == nil)
  }
}
