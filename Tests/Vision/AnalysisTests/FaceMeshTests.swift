import Analysis
import FaceCore
import Imaging
import Inference
import TestSupport
import Testing

@Suite struct FaceMeshTests {
  private func decode(
    _ points: [Float], presence: [Float] = [5], channels: Int = 1434,
    _ map: AffineMap = AffineMap(scaleX: 1, scaleY: 1)
  ) throws(Status) -> Landmarks? {
    // One value per channel, as the network's last convolution leaves them: channels are four floats apart.
    func spread(_ values: [Float]) -> [Float] { values.flatMap { [$0, .nan, .nan, .nan] } }
    func view(_ values: UnsafeBufferPointer<Float>, _ channels: Int) -> TensorView {
      TensorView(
        shape: TensorShape(channels: channels, height: 1, width: 1, channelStride: 4), values: values)
    }
    let (first, second) = (spread(points), spread(presence))
    let places = UnsafeMutableBufferPointer<Float>.allocate(capacity: first.count)
    let scores = UnsafeMutableBufferPointer<Float>.allocate(capacity: second.count)
    defer {
      places.deallocate()
      scores.deallocate()
    }
    _ = places.initialize(from: first)
    _ = scores.initialize(from: second)
    return try FaceMesh.decode(
      points: view(UnsafeBufferPointer(places), channels),
      presence: view(UnsafeBufferPointer(scores), presence.count), map)
  }

  @Test func pointsAreMappedFromCropToImage() throws {
    let values = (0..<1434).map { Float($0 % 256) }
    let crop = RotatedSquare(center: Point(x: 400, y: 300), side: 512, angle: 90)
    let found = try #require(try decode(values, crop.toImage(cropSide: 256)))
    #expect(found.points.count == Landmarks.count)
    #expect(abs(found.confidence - 0.9933) < 1e-3)
    for (index, point) in found.points.enumerated() {
      // Turned by a quarter clockwise and doubled: right becomes down, down becomes left.
      let (x, y, z) = (values[3 * index], values[3 * index + 1], values[3 * index + 2])
      #expect(abs(point.x - (400 - 2 * (y - 128))) < 1e-2 && abs(point.y - (300 + 2 * (x - 128))) < 1e-2)
      #expect(abs(point.z - 2 * z) < 1e-2)
    }
  }

  @Test func cropWithoutAFaceHasNoPoints() throws {
    let values = [Float](repeating: 100, count: 1434)
    #expect(try decode(values, presence: [-0.1]) == nil)
    #expect(try decode(values, presence: [.nan]) == nil)
    #expect(try decode(values, presence: [0.1]) != nil)
    var broken = values
    broken[700] = .infinity
    #expect(try decode(broken) == nil)
  }

  @Test func mapsOfAnotherFormAreRefused() {
    expectFailure(.failedPrecondition) { try self.decode([Float](repeating: 1, count: 1404), channels: 1404) }
  }

  @Test func theCropStandsUprightAroundTheFace() throws {
    var face = Face(box: Box(x: 100, y: 50, width: 40, height: 60), confidence: 1, points: nil)
    #expect(
      MeshCrop.around(face) == RotatedSquare(center: Point(x: 120, y: 80), side: 90, angle: 0))
    face.points = FivePoints(
      leftEye: Point(x: 120, y: 90), rightEye: Point(x: 120, y: 70), noseTip: Point(x: 110, y: 80),
      mouthLeft: Point(x: 100, y: 85), mouthRight: Point(x: 100, y: 75))
    #expect(abs(try #require(MeshCrop.around(face)).angle - 90) < 1e-3)
    for box in [Box(x: 0, y: 0, width: 0, height: 0), Box(x: .nan, y: 0, width: 9, height: 9)] {
      #expect(MeshCrop.around(Face(box: box, confidence: 1, points: nil)) == nil)
    }
    #expect(MeshCrop.around(Landmarks(points: [], confidence: 1)) == nil)
  }

  /// `ExpressionNetworkTests` compares what comes of others with a recording.
  @Test func pointsInOnePlaceHaveNoExpression() throws {
    #expect(ExpressionNetwork.normalised(.flat) == nil)
  }
}
