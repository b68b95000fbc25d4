import Analysis
import FaceCore
import Imaging
import Inference
import Synchronization
import TestSupport
import Testing

import func Glibc.cosf
import func Glibc.sinf

/// A mesh network that sees the same points in every crop, and counts its runs.
private final class ScriptedMesh: Network {
  let runtime = "none"
  let runs = Mutex(0)
  private let values: [Float]
  private let logit: Float

  /// - Parameters:
  ///   - extent: the height and width of the points around the crop's middle, in pixels of its 256.
  ///   - middle: where the points' middle is in the crop.
  ///   - turn: degrees by which the points are turned.
  init(extent: Float, middle: Point = Point(x: 128, y: 128), turn: Float = 0, logit: Float = 8) {
    self.logit = logit
    let (cosine, sine) = (cosf(turn * .pi / 180), sinf(turn * .pi / 180))
    values = (0..<Landmarks.count).flatMap { index -> [Float] in
      let place =
        switch index {
        case Landmarks.rightEyeOuterCorner: Point(x: -extent / 2, y: 0)
        case Landmarks.leftEyeOuterCorner: Point(x: extent / 2, y: 0)
        case 0: Point(x: 0, y: -extent / 2)
        case 1: Point(x: 0, y: extent / 2)
        default: Point(x: 0, y: 0)
        }
      return [
        middle.x + cosine * place.x - sine * place.y, middle.y + sine * place.x + cosine * place.y, 0,
      ]
    }
  }

  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    runs.withLock { $0 += 1 }
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: values.count + 1)
    defer { memory.deallocate() }
    _ = memory.initialize(from: values + [logit])
    func view(_ first: Int, _ count: Int) -> TensorView {
      TensorView(
        shape: TensorShape(channels: count, height: 1, width: 1, channelStride: 1),
        values: UnsafeBufferPointer(rebasing: memory[first..<first + count]))
    }
    return try body([view(0, values.count), view(values.count, 1)])
  }
}

@Suite struct FirstCropTests {
  /// Points of this extent ask for the crop they are in.
  private static let settled: Float = 256 / 1.4

  private static let wide = DetectedBoxes(margin: 1.267, lowering: 0.044)
  private static let narrow = DetectedBoxes(margin: 1.235, lowering: 0.049)

  private static let face = Face(
    box: Box(x: 60, y: 50, width: 60, height: 80), confidence: 1,
    points: FivePoints(
      leftEye: Point(x: 105, y: 80), rightEye: Point(x: 75, y: 80), noseTip: Point(x: 90, y: 95),
      mouthLeft: Point(x: 100, y: 110), mouthRight: Point(x: 80, y: 110)))

  private func runs(_ network: ScriptedMesh, _ boxes: DetectedBoxes?, face: Face = Self.face) throws -> Int {
    let mesh = FaceMesh(
      network: network, input: "in0", normalisation: InputNormalisation(mean: [0, 0, 0], scale: [1, 1, 1]),
      points: "out0",
      presence: "out1")
    try Picture.noise(200, 200, seed: 3).withUpright(willCrop: true) { picture throws(Status) in
      _ = try mesh.landmarks(of: face, .upright, boxes, in: picture)
    }
    return network.runs.withLock { $0 }
  }

  @Test func aKnownDetectorsCropIsUsedAgainOnlyIfItsPointsAskForAnother() throws {
    #expect(try runs(ScriptedMesh(extent: Self.settled), Self.wide) == 1)
    #expect(try runs(ScriptedMesh(extent: Self.settled, turn: 5), Self.wide) == 1)
    #expect(try runs(ScriptedMesh(extent: Self.settled * 1.15), Self.wide) == 2)
    #expect(try runs(ScriptedMesh(extent: Self.settled / 1.15), Self.wide) == 2)
    #expect(
      try runs(ScriptedMesh(extent: Self.settled, middle: Point(x: 128, y: 148)), Self.narrow) == 2)
    #expect(try runs(ScriptedMesh(extent: Self.settled, turn: 7), Self.wide) > 1)
  }

  @Test func anotherDetectorsAndACallersCropIsAlwaysRefined() throws {
    #expect(try runs(ScriptedMesh(extent: Self.settled), nil) == 2)
    var given = Self.face
    given.points = nil
    #expect(try runs(ScriptedMesh(extent: Self.settled), Self.wide, face: given) == 2)
  }

  @Test func anUnsureCropIsRefinedAndTriedAtOtherAngles() throws {
    // Two runs in each of three crops.
    #expect(try runs(ScriptedMesh(extent: Self.settled, logit: 2), Self.wide) == 6)
  }

  @Test func theFirstCropIsLoweredAlongTheFace() throws {
    let upright = try #require(MeshCrop.around(Self.face, Self.wide))
    let whole = try #require(MeshCrop.around(Self.face))
    #expect(upright.center.x == whole.center.x && upright.center.y > whole.center.y + 3)
    #expect(upright.side < whole.side)
    var lying = Self.face
    lying.points = FivePoints(
      leftEye: Point(x: 90, y: 105), rightEye: Point(x: 90, y: 75), noseTip: Point(x: 75, y: 90),
      mouthLeft: Point(x: 60, y: 100), mouthRight: Point(x: 60, y: 80))
    let turned = try #require(MeshCrop.around(lying, Self.wide))
    #expect(turned.center.x < whole.center.x - 3 && abs(turned.center.y - whole.center.y) < 1e-3)
  }
}
