import FaceCore
import Testing

/// The mesh as data: edges, triangles, contours and points with names.
@Suite struct FaceMeshTests {
  private static let edges = pairs(Landmarks.edges)

  /// A surface with three holes, the eyes and the mouth: its Euler characteristic is 1 - 3.
  @Test func theMeshIsASurfaceWithThreeHoles() {
    let triangles = Self.triangles
    let points = Set(Landmarks.triangles)
    #expect(Self.edges.count == 1322 && triangles.count == 852 && points == Set(0..<468))
    #expect(points.count - Self.edges.count + triangles.count == -2)
    #expect(Landmarks.edges.count == 2 * Self.edges.count && Landmarks.triangles.count == 3 * triangles.count)
  }

  /// Each edge is a side of one triangle, at a rim, or of two, which pass along it in opposite directions.
  @Test func eachEdgeIsInOneOrTwoTriangles() {
    var sides: Set<[UInt16]> = []
    for triangle in Self.triangles {
      for (from, to) in zip(triangle, triangle.dropFirst() + triangle.prefix(1)) {
        #expect(sides.insert([from, to]).inserted, "\(from) \(to)")
      }
    }
    #expect(Set(sides.map { $0.sorted() }) == Self.edges)
    let rim = Set(sides.filter { !sides.contains($0.reversed()) }.joined())
    let holes = [FaceContour.face, .leftEye, .rightEye].flatMap(\.indices) + LandmarkRegion.innerLips.indices
    #expect(rim == Set(holes.map { UInt16($0) }) && rim.count == holes.count)
  }

  @Test func contoursHaveMLKitsNumbersOfPoints() {
    let counts = FaceContour.allCases.map(\.indices.count)
    #expect(counts == [36, 5, 5, 5, 5, 16, 16, 11, 9, 9, 9, 2, 3, 1, 1])
    #expect(FaceContour.allCases.map { Int($0.rawValue) } == Array(1...15))
    #expect(FaceContour.allCases.filter { $0.path == .closed } == [.face, .leftEye, .rightEye])
    #expect(FaceContour.allCases.filter { $0.path == .disconnected } == [.leftCheek, .rightCheek])
    for contour in FaceContour.allCases { #expect("\(contour.name)" == "\(contour)") }
  }

  @Test(arguments: FaceContour.allCases)
  func contoursRunAlongEdges(contour: FaceContour) {
    let points = contour.indices.map { UInt16($0) }
    let ends = contour.path == .closed ? points.prefix(1) : []
    let steps = zip(points, points.dropFirst() + ends).map { [$0, $1].sorted() }
    // Both have points further apart.
    let isApart = contour == .noseBridge || contour == .noseBottom
    #expect(steps.allSatisfy { Self.edges.contains($0) != isApart })
  }

  /// Each point of a contour has one mirror image, and so has each edge between two of them.
  @Test func contoursAreMirrored() throws {
    var mirror: [Int: Int] = [:]
    func add(_ some: [Int], _ others: [Int]) {
      #expect(some.count == others.count)
      for (one, other) in zip(some, others) {
        #expect(mirror[one, default: other] == other && mirror[other, default: one] == one, "\(one) \(other)")
        mirror[one] = other
        mirror[other] = one
      }
    }
    for (left, right) in [
      (FaceContour.leftEyebrowTop, .rightEyebrowTop), (.leftEyebrowBottom, .rightEyebrowBottom),
      (.leftEye, .rightEye), (.leftCheek, .rightCheek),
    ] as [(FaceContour, FaceContour)] {
      add(left.indices, right.indices)
    }
    for contour in [.upperLipTop, .upperLipBottom, .lowerLipTop, .lowerLipBottom, .noseBottom] as [FaceContour] {
      add(contour.indices, contour.indices.reversed())
    }
    let face = FaceContour.face.indices
    add(face, face.prefix(1) + face.dropFirst().reversed())
    add(FaceContour.noseBridge.indices, FaceContour.noseBridge.indices)
    #expect(mirror.count == 133)
    for edge in Self.edges {
      guard let one = mirror[Int(edge[0])], let other = mirror[Int(edge[1])] else { continue }
      #expect(Self.edges.contains([UInt16(one), UInt16(other)].sorted()), "\(edge)")
    }
    #expect(mirror[Landmarks.leftEarRoot] == Landmarks.rightEarRoot)
    #expect(mirror[Landmarks.mouthLeft] == Landmarks.mouthRight)
    for point in [
      Landmarks.foreheadTop, Landmarks.chin, Landmarks.mouthBottom, Landmarks.noseBase, Landmarks.noseTip,
    ] {
      #expect(mirror[point] == point)
    }
  }

  @Test func namesAreThoseOfTheIndices() {
    #expect(Landmarks.names.count == 27)
    #expect(Landmarks.names.keys.allSatisfy { (0..<Landmarks.count).contains($0) })
    #expect(Landmarks.names[Landmarks.chin].map { "\($0)" } == "chin")
    #expect(Landmarks.names[Landmarks.leftCheek].map { "\($0)" } == "leftCheek")
  }

  private static var triangles: [[UInt16]] {
    stride(from: 0, to: Landmarks.triangles.count, by: 3).map { Array(Landmarks.triangles[$0..<$0 + 3]) }
  }

  private static func pairs(_ numbers: [UInt16]) -> Set<[UInt16]> {
    Set(stride(from: 0, to: numbers.count, by: 2).map { Array(numbers[$0..<$0 + 2]) })
  }
}
