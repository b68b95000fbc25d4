import FaceCore
import Testing

@Suite struct LandmarkConstellationTests {
  private static let regions = LandmarkRegion.allCases.filter { $0 != .allPoints }

  @Test func constellationsHaveTheirNumberOfPoints() {
    #expect(LandmarkConstellation.allCases.map(\.count) == [478, 65, 76])
    for constellation in LandmarkConstellation.allCases {
      let all = constellation.indices(of: .allPoints)
      #expect(Set(all).count == all.count && all.allSatisfy { (0..<Landmarks.count).contains($0) })
      for region in Self.regions {
        let points = constellation.indices(of: region)
        #expect(Set(points).count == points.count && Set(points).isSubset(of: all), "\(region)")
      }
    }
  }

  /// The numbers of points that Vision has, by region.
  @Test(
    arguments: [
      (.points65, [11, 8, 8, 4, 4, 1, 1, 9, 3, 9, 10, 6]),
      (.points76, [17, 6, 6, 6, 6, 1, 1, 8, 6, 10, 14, 6]),
    ] as [(LandmarkConstellation, [Int])])
  func regionsHaveVisionsNumberOfPoints(constellation: LandmarkConstellation, counts: [Int]) {
    #expect(Self.regions.map { constellation.indices(of: $0).count } == counts)
  }

  /// The tip of the nose is the one point of three regions; nine are in two.
  @Test func regionsOf76ShareWhatVisionsShare() {
    var regions: [Int: Int] = [:]
    for region in Self.regions {
      for index in LandmarkConstellation.points76.indices(of: region) { regions[index, default: 0] += 1 }
    }
    #expect(regions.filter { $0.value == 3 }.keys.sorted() == [Landmarks.noseTip])
    #expect(regions.values.count { $0 == 2 } == 9)
  }

  /// Each point at the left has its mirror image at the right, in the same order where the region is one of a
  /// pair.
  @Test func leftAndRightAreMirrored() throws {
    let face = Dictionary(uniqueKeysWithValues: Self.mirrored + Self.mirrored.map { ($0.1, $0.0) })
    func mirror(_ index: Int) -> Int { face[index] ?? index }
    for constellation in [LandmarkConstellation.points65, .points76] {
      for (left, right) in [(.leftEye, .rightEye), (.leftEyebrow, .rightEyebrow), (.leftPupil, .rightPupil)]
        as [(LandmarkRegion, LandmarkRegion)]
      {
        #expect(constellation.indices(of: left).map(mirror) == constellation.indices(of: right))
      }
      for region in [.faceContour, .nose, .noseCrest, .medianLine, .outerLips, .innerLips]
        as [LandmarkRegion]
      {
        let points = constellation.indices(of: region)
        #expect(Set(points.map(mirror)) == Set(points), "\(region)")
      }
    }
  }

  @Test func pathsAreOpenClosedOrDisconnected() {
    for constellation in LandmarkConstellation.allCases {
      #expect(constellation.path(of: .allPoints) == .disconnected)
      #expect(constellation.path(of: .leftPupil) == .disconnected)
      for region in [.faceContour, .noseCrest, .medianLine] as [LandmarkRegion] {
        #expect(constellation.path(of: region) == .open)
      }
      for region in [.leftEye, .rightEye, .outerLips, .innerLips] as [LandmarkRegion] {
        #expect(constellation.path(of: region) == .closed)
      }
      #expect(constellation.path(of: .nose) == (constellation == .points65 ? .open : .closed))
    }
    for region in Self.regions where LandmarkConstellation.mesh.path(of: region) != .disconnected {
      #expect((LandmarkConstellation.mesh.path(of: region) == .closed) == region.isClosed)
    }
  }

  @Test func pointsAreThoseOfTheMesh() {
    let landmarks = Landmarks(
      points: (0..<Landmarks.count).map { Point3D(x: Float($0), y: 0, z: 0) }, confidence: 1)
    #expect(landmarks.points(of: .leftPupil, .points76).map(\.x) == [473])
    #expect(landmarks.points(of: .allPoints, .points65).count == 65)
    #expect(landmarks.points(of: .nose, .mesh) == landmarks.points(of: .nose))
    #expect(Landmarks(points: [], confidence: 1).points(of: .nose, .points76).isEmpty)
  }

  /// Points of the mesh and their mirror images, as far as the constellations contain them. Source: the
  /// mirrored pairs of the regions of the whole mesh.
  private static let mirrored: [(Int, Int)] = {
    var pairs: [(Int, Int)] = []
    for (left, right) in [(.leftEye, .rightEye), (.leftEyebrow, .rightEyebrow), (.leftPupil, .rightPupil)]
      as [(LandmarkRegion, LandmarkRegion)]
    {
      pairs += zip(left.indices, right.indices)
    }
    let contour = LandmarkRegion.faceContour.indices
    pairs += zip(contour, contour.reversed()).filter { $0 != $1 }.prefix(contour.count / 2)
    for (region, start) in [(.outerLips, 0), (.innerLips, 0)] as [(LandmarkRegion, Int)] {
      // From the left corner along the upper edge to the right corner, which is halfway.
      let points = region.indices
      let half = points.count / 2
      for place in start...half / 2 {
        pairs.append((points[place], points[half - place]))
        if place > 0 { pairs.append((points[points.count - place], points[half + place])) }
      }
    }
    let nose = LandmarkRegion.nose.indices
    for place in 1..<nose.count / 2 { pairs.append((nose[place], nose[nose.count - place])) }
    return pairs.filter { $0.0 != $0.1 }
  }()
}
