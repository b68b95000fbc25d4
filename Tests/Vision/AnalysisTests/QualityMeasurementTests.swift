import Analysis
import FaceCore
import Imaging
import TestSupport
import Testing

@Suite struct QualityMeasurementTests {
  private func luma(_ picture: Picture) throws -> FaceLuma {
    FaceLuma(try picture.bitmap())
  }

  @Test func sharpnessFallsWithBlurAndDoesNotAskForContrast() throws {
    let size = QualityMeasurement.cropSide
    let grain = Picture.noise(size, size, seed: 2)
    let scene = Picture(size, size) { x, y in
      let base = 90 + (x / 20 + y / 20) % 2 * 50
      let value = UInt8(base + Int(grain[x, y].green) / 16)
      return RGB(value, value, value)
    }
    let steps = try [0, 1, 3, 8].map {
      QualityMeasurement.sharpness(try luma(scene.blurred(reach: 1, times: $0)))
    }
    #expect(steps == steps.sorted(by: >) && Set(steps).count == steps.count && steps[3] < steps[0] / 2)
    let flat = Picture(size, size) { x, y in
      let value = UInt8(100 + Int(scene[x, y].green) / 4)
      return RGB(value, value, value)
    }
    #expect(abs(QualityMeasurement.sharpness(try luma(flat)) - steps[0]) < 0.3)
    let grey = Picture(size, size) { _, _ in RGB(90, 90, 90) }
    #expect(QualityMeasurement.sharpness(try luma(grey)) == 0)
  }

  @Test(
    arguments: [(0, 0), (50, 0.5), (80, 1), (128, 1), (180, 1), (212, 0.5), (255, 0)] as [(UInt8, Float)])
  func exposureIsBestInTheMiddle(value: UInt8, expected: Float) throws {
    let picture = Picture(64, 64) { _, _ in RGB(value, value, value) }
    #expect(abs(QualityMeasurement.exposure(try luma(picture)) - expected) < 0.02)
  }

  @Test func poseAndFramingFollowTheirRules() {
    #expect(QualityMeasurement.facing(Pose(yaw: 0, pitch: 0, roll: 0)) == 1)
    #expect(QualityMeasurement.facing(Pose(yaw: -22.5, pitch: 0, roll: 0)) == 0.5)
    #expect(QualityMeasurement.facing(Pose(yaw: 40, pitch: -40, roll: 0)) == 0)
    let size = PixelSize(width: 100, height: 100)
    func face(outside: Int) -> Landmarks {
      Landmarks(
        points: (0..<Landmarks.count).map { Point3D(x: $0 < outside ? -5 : 50, y: 50, z: 0) }, confidence: 1)
    }
    #expect(QualityMeasurement.framing(face(outside: 0), size) == 1)
    #expect(abs(QualityMeasurement.framing(face(outside: 119), size) - 0.502) < 0.01)
    #expect(QualityMeasurement.framing(face(outside: 400), size) == 0)
  }
}
