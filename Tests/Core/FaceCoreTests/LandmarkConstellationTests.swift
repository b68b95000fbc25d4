import FaceCore
import Testing

@Suite struct LandmarkConstellationTests {
  private static let regions = LandmarkRegion.allCases.filter { $0 != .allPoints }

  @Test func constellationsHaveTheirNumberOfPoints() {
    #expect(LandmarkConstellation.allCases.map(\.count) == [478, 65, 76, 98])
    for constellation in LandmarkConstellation.allCases {
      let all = constellation.indices(of: .allPoints)
      let halfway = constellation == .points98 ? 8 : 0
      #expect(Set(all).count == all.count - halfway && all.allSatisfy { (0..<Landmarks.count).contains($0) })
      for region in Self.regions {
        let points = constellation.indices(of: region)
        let repeated = region == .faceContour ? halfway : 0
        #expect(Set(points).count == points.count - repeated && Set(points).isSubset(of: all), "\(region)")
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

  /// The places that WFLW gives each part of a face.
  @Test func regionsOf98AreWFLWs() {
    let all = LandmarkConstellation.points98.indices(of: .allPoints)
    for (region, places) in [
      (.faceContour, 0...32), (.rightEyebrow, 33...41), (.leftEyebrow, 42...50), (.noseCrest, 51...54),
      (.nose, 55...59), (.rightEye, 60...67), (.leftEye, 68...75), (.outerLips, 76...87),
      (.innerLips, 88...95),
      (.rightPupil, 96...96), (.leftPupil, 97...97),
    ] as [(LandmarkRegion, ClosedRange<Int>)] {
      #expect(LandmarkConstellation.points98.indices(of: region) == Array(all[places]), "\(region)")
      let mesh = region == .nose ? LandmarkRegion.allPoints.indices : region.indices
      if region != .faceContour { #expect(Set(all[places]).isSubset(of: mesh), "\(region)") }
    }
    #expect([16, 54, 60, 64, 68, 72].map { all[$0] } == [152, Landmarks.noseTip, 33, 133, 362, 263])
    #expect([76, 82, 88, 92, 96, 97].map { all[$0] } == [61, 291, 78, 308, 468, 473])
  }

  /// Each place and the one that a mirror image of the picture has there. Source: the mirrored order of WFLW.
  @Test func placesOf98AreMirrored() throws {
    let rows: [(ClosedRange<Int>, Int)] = [
      (0...15, 32), (33...37, 79), (38...41, 88), (55...56, 114), (60...64, 132), (65...67, 140),
      (76...78, 158),
      (86...87, 170), (88...89, 180), (95...95, 188), (96...96, 193),
    ]
    var points = [Point3D](repeating: Point3D(x: 0, y: -1, z: 0), count: Landmarks.count)
    let others = [(366, 137), (401, 177), (435, 215), (367, 138), (460, 240)]
    for (number, pair) in (Self.mirrored + others).enumerated() {
      points[pair.0] = Point3D(x: Float(number) + 1, y: Float(number), z: 1)
      points[pair.1] = Point3D(x: -Float(number) - 1, y: Float(number), z: 1)
    }
    let found = Landmarks(points: points, confidence: 1).points(of: .allPoints, .points98)
    for (places, sum) in rows {
      for place in places {
        let (one, other) = (found[place], found[sum - place])
        #expect(one.x == -other.x && one.x < 0 && one.y == other.y, "\(place) and \(sum - place)")
      }
    }
  }

  @Test func repeatedIndicesAreHalfway() {
    let landmarks = Landmarks(
      points: (0..<Landmarks.count).map { Point3D(x: Float($0), y: 2 * Float($0), z: 0) }, confidence: 1)
    let contour = landmarks.points(of: .faceContour, .points98)
    #expect(contour[2].x == 137 && contour[3].x == (137 + 177) / 2 && contour[4].x == 177)
    #expect(contour[15].x == (148 + 152) / 2 && contour[17].y == 152 + 377)
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
      #expect(
        constellation.path(of: .nose) == ([.points65, .points98].contains(constellation) ? .open : .closed))
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
