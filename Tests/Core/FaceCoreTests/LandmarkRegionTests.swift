import FaceCore
import Testing

@Suite struct LandmarkRegionTests {
  @Test func regionPointsAreThoseOfTheTable() {
    let points = (0..<Landmarks.count).map { Point3D(x: Float($0), y: 0, z: 1) }
    let landmarks = Landmarks(points: points, confidence: 1)
    for region in LandmarkRegion.allCases {
      #expect(landmarks.points(of: region).map { Int($0.x) } == region.indices)
    }
    #expect(landmarks.points(of: .allPoints) == points)
    #expect(Landmarks(points: [], confidence: 1).points(of: .leftEye).isEmpty)
  }

  /// Paired regions have as many points on both sides; the numbers of the pupils follow those of the mesh.
  @Test func bothSidesAreAlike() {
    #expect(LandmarkRegion.leftEye.indices.count == LandmarkRegion.rightEye.indices.count)
    #expect(LandmarkRegion.leftEyebrow.indices.count == LandmarkRegion.rightEyebrow.indices.count)
    #expect(LandmarkRegion.leftEye.indices.contains(Landmarks.leftEyeOuterCorner))
    #expect(LandmarkRegion.rightEye.indices.contains(Landmarks.rightEyeOuterCorner))
    #expect(LandmarkRegion.noseCrest.indices.last == Landmarks.noseTip)
    #expect(Expressions.names.count == Expressions.count)
  }
}
