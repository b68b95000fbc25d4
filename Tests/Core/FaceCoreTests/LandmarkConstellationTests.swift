import FaceCore
import Testing

@Suite struct LandmarkConstellationTests {
  private static let regions = LandmarkRegion.allCases.filter { $0 != .allPoints }

  @Test func constellationsHaveTheirNumberOfPoints() {
    #expect(LandmarkConstellation.allCases.map(\.count) == [478, 65, 76, 98])
    for constellation in LandmarkConstellation.allCases {
      let all = constellation.places(of: .allPoints)
      #expect(Set(all).count == all.count)
      #expect(all.allSatisfy { (0...0.5).contains($0.share) })
      #expect(all.flatMap { [$0.nearest, $0.other] }.allSatisfy { (0..<Landmarks.count).contains($0) })
      for region in Self.regions {
        let places = constellation.places(of: region)
        #expect(Set(places).count == places.count && Set(places).isSubset(of: all), "\(region)")
        #expect(constellation.indices(of: region) == places.map(\.nearest))
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
    let all = LandmarkConstellation.points98.places(of: .allPoints)
    for (region, places) in [
      (.faceContour, 0...32), (.rightEyebrow, 33...41), (.leftEyebrow, 42...50), (.noseCrest, 51...54),
      (.nose, 55...59), (.rightEye, 60...67), (.leftEye, 68...75), (.outerLips, 76...87),
      (.innerLips, 88...95), (.rightPupil, 96...96), (.leftPupil, 97...97),
    ] as [(LandmarkRegion, ClosedRange<Int>)] {
      #expect(LandmarkConstellation.points98.places(of: region) == Array(all[places]), "\(region)")
    }
    #expect([16, 54, 76, 82, 96, 97].map { all[$0].nearest } == [152, Landmarks.noseTip, 61, 291, 468, 473])
  }

  /// Each place and the one that a mirror image of the picture has there. Source: the mirrored order of WFLW.
  @Test func placesOf98AreMirrored() {
    let rows: [(ClosedRange<Int>, Int)] = [
      (0...16, 32), (33...37, 79), (38...41, 88), (55...57, 114), (60...64, 132), (65...67, 140),
      (76...79, 158), (85...87, 170), (88...90, 180), (94...95, 188), (96...96, 193),
    ]
    let all = LandmarkConstellation.points98.places(of: .allPoints)
    var mirrored = Dictionary(uniqueKeysWithValues: Self.mirrored + Self.mirrored.map { ($0.1, $0.0) })
    for (places, sum) in rows {
      for place in places {
        let (one, other) = (all[place], all[sum - place])
        #expect(one.share == other.share, "\(place) and \(sum - place)")
        for (left, right) in [(one.nearest, other.nearest), (one.other, other.other)] {
          #expect(mirrored[left, default: right] == right && mirrored[right, default: left] == left)
          (mirrored[left], mirrored[right]) = (right, left)
        }
      }
    }
  }

  @Test func pointsLieBetweenThoseOfTheMesh() {
    let landmarks = Landmarks(
      points: (0..<Landmarks.count).map { Point3D(x: Float($0), y: 2 * Float($0), z: -Float($0)) },
      confidence: 1)
    let places = LandmarkConstellation.points98.places(of: .rightEye)
    for (place, point) in zip(places, landmarks.points(of: .rightEye, .points98)) {
      let expected = Float(place.nearest) + place.share * Float(place.other - place.nearest)
      #expect(point == Point3D(x: expected, y: 2 * expected, z: -expected))
    }
  }

  /// The tip of the nose is the one point of three regions; nine are in two.
  @Test func regionsOf76ShareWhatVisionsShare() {
    var regions: [LandmarkPlace: Int] = [:]
    for region in Self.regions {
      for place in LandmarkConstellation.points76.places(of: region) { regions[place, default: 0] += 1 }
    }
    #expect(regions.filter { $0.value == 3 }.keys.map(\.nearest) == [Landmarks.noseTip])
    #expect(regions.values.count { $0 == 2 } == 9)
  }

  /// Left and right are mirror images: of the numbers of WFLW where these are shared, else of the mesh.
  @Test func leftAndRightAreMirrored() throws {
    let all = LandmarkConstellation.points98.places(of: .allPoints)
    var face = Dictionary(uniqueKeysWithValues: Self.mirrored + Self.mirrored.map { ($0.1, $0.0) })
    for (left, right) in zip(all[33...41], [46, 45, 44, 43, 42, 50, 49, 48, 47].map { all[$0] }) {
      for (one, other) in [(left.nearest, right.nearest), (left.other, right.other)] {
        (face[one], face[other]) = (other, one)
      }
    }
    func mirror(_ index: Int) -> Int { face[index] ?? index }
    for constellation in [LandmarkConstellation.points65, .points76] {
      let brows = [LandmarkRegion.leftEyebrow, .rightEyebrow].map { constellation.indices(of: $0) }
      #expect(brows[0].map(mirror) == brows[1])
      for (left, right) in [(.leftEye, .rightEye), (.leftEyebrow, .rightEyebrow), (.leftPupil, .rightPupil)]
        as [(LandmarkRegion, LandmarkRegion)]
      {
        #expect(constellation.places(of: left).map(\.share) == constellation.places(of: right).map(\.share))
      }
      for region in [.faceContour, .nose, .noseCrest, .medianLine] as [LandmarkRegion] {
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
