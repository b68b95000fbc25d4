import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

/// The area that marks cover: pixel by pixel if that is exact, otherwise by places.
@Suite struct FaceMarksTests {
  private static let box = Box(x: 50, y: 40, width: 100, height: 80)

  private static var style: FaceStyle {
    var style = FaceStyle()
    style.boxColour = Colour(red: 1, green: 0, blue: 0)
    style.pointColour = Colour(red: 0, green: 0, blue: 1)
    style.landmarkColour = Colour(red: 0, green: 1, blue: 0)
    style.circleColour = Colour(red: 1, green: 1, blue: 1)
    style.font = "@cairo:"
    return style
  }

  private func face(_ change: (inout Face) -> Void = { _ in }) -> Face {
    var face = Face(box: Self.box, confidence: 1, points: nil)
    change(&face)
    return face
  }

  /// `GoldenTests` has the hollow one.
  @Test func aMaskThatIsNotHollowDimsNothing() throws {
    let circle = Circle(center: Point(x: 100, y: 80), radius: 50)
    let plain = try Drawing.of { $0.drawMask(circle, hollow: false, style: Self.style) }
    #expect(plain[2, 2] == Drawing.ground && plain[100, 80] == Drawing.ground)
    #expect(plain[50, 80] == RGB(255, 255, 255))
  }

  /// Lines go from point to point of each region; closed regions return to their start.
  @Test func landmarksAreLinesOfTheirRegions() throws {
    let points = (0..<Landmarks.count).map { index in
      let (column, row) = (Float(index % 22), Float(index / 22))
      return Point3D(x: 40 + column * 5.5, y: 20 + row * 5.5, z: 0)
    }
    let landmarks = Landmarks(points: points, confidence: 1)
    var style = Self.style
    style.marks = .landmarkLines
    style.antialias = false
    let lines = try Drawing.of { $0.draw([face { $0.landmarks = landmarks }], style: style) }
    for region in LandmarkRegion.allCases where region != .allPoints {
      let path = landmarks.points(of: region)
      let ends = path.dropFirst() + (region.isClosed ? [path[0]] : [])
      for (from, to) in zip(path, ends) {
        let (x, y) = (Int((from.x + to.x) / 2), Int((from.y + to.y) / 2))
        #expect(lines[x, y] == RGB(0, 255, 0), "\(region)")
      }
      #expect(lines[Int(path[0].x), Int(path[0].y)] == RGB(0, 255, 0))
    }
    style.marks = .landmarkPoints
    let dots = try Drawing.of { $0.draw([face { $0.landmarks = landmarks }], style: style) }
    #expect(points.allSatisfy { dots[Int($0.x), Int($0.y)] == RGB(0, 255, 0) })
    #expect(dots.marked() <= Landmarks.count * 16)
    // Unknown landmarks and those without a place are not drawn.
    let broken = Landmarks(points: points.map { Point3D(x: .nan, y: $0.y, z: 0) }, confidence: 1)
    for face in [
      face(), face { $0.landmarks = broken }, face { $0.landmarks = Landmarks(points: [], confidence: 1) },
    ] {
      #expect(try Drawing.of { $0.draw([face], style: style) }.marked() == 0)
    }
  }

  @Test func idsStandAboveAndAnglesBelow() throws {
    var style = Self.style
    style.marks = [.ids, .angles]
    style.textSize = 16
    let known = face {
      $0.track = Track(id: 7, frameCount: 1)
      $0.pose = Pose(yaw: -12.4, pitch: 3, roll: 8)
    }
    let picture = try Drawing.of { $0.draw([known], style: style) }
    #expect(picture.marked(50..<110, 20..<38) > 50)
    #expect(picture.marked(50..<200, 122..<150) > 100)
    #expect(picture.marked(0..<200, 45..<115) == 0)
    #expect(try Drawing.of { $0.draw([face()], style: style) }.marked() == 0)
    // At the picture's edge they are inside the box.
    var atEdge = known
    atEdge.box = Box(x: 0, y: 0, width: 200, height: 160)
    let inside = try Drawing.of { $0.draw([atEdge], style: style) }
    #expect(inside.marked(0..<80, 0..<30) > 50 && inside.marked(0..<200, 130..<160) > 100)
  }

  /// A right-to-left label leaves the numbers after it in their order.
  @Test func captionsHaveTheirOrder() {
    let known = face {
      $0.track = Track(id: 7, frameCount: 1)
      $0.confidence = 0.936
    }
    func headline(_ label: String?) -> String? {
      Caption(known, label: label, [.ids, .confidences]).headline
    }
    #expect(headline(nil) == "id 7  94%" && headline("") == "id 7  94%")
    #expect(headline("Grace") == "Grace  id 7  94%")
    #expect(headline("غريس") == "\u{2068}غريس\u{2069}  id 7  94%")
    #expect(Caption(face(), label: nil, [.ids, .angles]).headline == nil)
  }

  @Test func withoutAntialiasThereAreTwoColours() throws {
    var style = Self.style
    style.marks = .points
    let points = FivePoints(
      leftEye: Point(x: 30.3, y: 30), rightEye: Point(x: 60.7, y: 30.2), noseTip: Point(x: 90, y: 60.5),
      mouthLeft: Point(x: 120, y: 90), mouthRight: Point(x: 150, y: 120))
    func colours() throws -> Int {
      let picture = try Drawing.of { $0.draw([face { $0.points = points }], style: style) }
      let pixels = (0..<160).flatMap { y in (0..<200).map { [picture[$0, y].red, picture[$0, y].green] } }
      return Set(pixels).count
    }
    #expect(try colours() > 2)
    style.antialias = false
    #expect(try colours() == 2)
  }
}
