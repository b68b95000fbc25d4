import FaceCore
import Testing

import func Glibc.cosf
import func Glibc.sinf

@Suite struct FaceOutlineTests {
  /// A round face of radius 100 whose points within the edge lie between the eyes, but for the chin and a few more.
  private static func face(_ moved: [Int: Point3D] = [:]) -> Landmarks {
    var points = [Point3D](repeating: Point3D(x: 0, y: -20, z: -50), count: Landmarks.count)
    // From beside the left eye over the chin to beside the right eye, a little beyond a half circle.
    let contour = LandmarkRegion.faceContour.indices
    for (place, index) in contour.enumerated() {
      let angle = Float.pi * (Float(place) / Float(contour.count - 1) * 1.2 - 0.1)
      points[index] = Point3D(x: 100 * cosf(angle), y: 100 * sinf(angle), z: 0)
    }
    points[199] = Point3D(x: 0, y: 90, z: -40)
    for (index, point) in moved { points[index] = point }
    return Landmarks(points: points, confidence: 1)
  }

  @Test func outlineIsTheEdgeOfAFaceThatLooksStraightAhead() {
    let contour = Self.face().points(of: .faceContour, .points98)
    #expect(contour.count == 33)
    for point in contour {
      let radius = (point.x * point.x + point.y * point.y).squareRoot()
      #expect(radius > 98 && radius < 100.1, "between the corners of the hull")
    }
    #expect(contour[0].x < -90 && contour[32].x > 90 && abs(contour[16].x) < 0.01 && contour[16].y > 99)
  }

  /// As on a head that is turned to the picture's right, where the far cheek hides the jaw's edge.
  @Test func cheekThatHidesTheJawIsTheOutline() {
    let turned = Self.face([280: Point3D(x: 150, y: 30, z: -40), 454: Point3D(x: 60, y: 0, z: 40)])
    let (seen, before) = (
      turned.points(of: .faceContour, .points98), Self.face().points(of: .faceContour, .points98)
    )
    #expect(seen[16...].map(\.x).max() ?? 0 > 140)
    #expect(seen[17...31].allSatisfy { point in !before.contains { $0.x >= point.x && $0.y >= point.y } })
    for place in 0...16 { #expect(seen[place] == before[place], "the near side stays") }
    #expect(
      turned.points(of: .faceContour, .points76) == stride(from: 32, through: 0, by: -2).map { seen[$0] })
    #expect(turned.points(of: .medianLine, .points65).last == seen[16])
  }

  @Test func halvesAreEvenlySpaced() {
    let points = Self.face([280: Point3D(x: 150, y: 30, z: -40)]).points(of: .faceContour, .points98)
    for half in [points[0...16], points[16...32]] {
      let steps = zip(half, half.dropFirst()).map { $0.point.distance(to: $1.point) }
      let longest = steps.max() ?? 0
      // A step over a corner of the hull is shorter than the way along it.
      #expect(steps.filter { $0 < longest * 0.97 }.count <= 2 && (steps.min() ?? 0) > longest * 0.7)
    }
  }

  @Test func noseDoesNotStandOut() {
    let moved = Self.face([Landmarks.noseTip: Point3D(x: 150, y: 30, z: -80)])
    #expect(moved.points(of: .faceContour, .points98) == Self.face().points(of: .faceContour, .points98))
  }

  @Test func outlineOfAMirrorImageIsMirrored() {
    let face = Self.face([280: Point3D(x: 150, y: 30, z: -40)])
    let other = Self.face([50: Point3D(x: -150, y: 30, z: -40)])
    let pairs = zip(
      face.points(of: .faceContour, .points98), other.points(of: .faceContour, .points98).reversed())
    for (one, twin) in pairs { #expect(abs(one.x + twin.x) < 0.01 && abs(one.y - twin.y) < 0.01) }
  }

  /// The contour is where the table has it.
  @Test(arguments: [Float(0), .nan, .infinity])
  func pointsThatMeanNothingHaveNoOutline(value: Float) {
    let points = [Point3D](repeating: Point3D(x: value, y: value, z: 0), count: Landmarks.count)
    let contour = Landmarks(points: points, confidence: 1).points(of: .faceContour, .points98)
    #expect(contour.count == 33 && contour.allSatisfy { value == 0 ? $0.x == 0 : !$0.x.isFinite })
  }
}
