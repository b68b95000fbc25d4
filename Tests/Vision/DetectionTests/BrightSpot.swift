import Detection
import FaceCore
import Inference
import TestSupport

extension InputSpecification {
  static let plain = InputSpecification(blob: "in", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1])
}

extension Face {
  static func square(_ x: Float, _ y: Float, _ side: Float, _ confidence: Float) -> Face {
    Face(box: Box(x: x, y: y, width: side, height: side), confidence: confidence, points: nil)
  }
}

/// A dark picture, 200×120, with one bright spot far from every middle, and pipelines that find it.
enum BrightSpot {
  static let box = Box(x: 32, y: 68, width: 20, height: 32)
  static let picture = Picture(200, 120) { x, y in
    (32..<52).contains(x) && (68..<100).contains(y) ? RGB(255, 255, 255) : RGB(0, 0, 0)
  }
  /// The spot as a face.
  static let face = BrightSpotFamily.face(box)
  static let pipeline = pipeline(BrightSpotFamily())

  static func pipeline(_ family: any DetectorFamily, maxInputPixels: Int = .max) -> DetectionPipeline {
    DetectionPipeline(
      network: BrightSpotNetwork(), family: family, input: .plain, maxInputPixels: maxInputPixels)
  }
}

/// A "network" whose face is the bright part of its input: it shows where the pipeline places the faces.
struct BrightSpotNetwork: Network {
  let runtime = "none"

  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    let width = input.shape.width
    let bright = input.channel(0).indices.filter { input.channel(0)[$0] > 128 }
    let columns = bright.map { $0 % width }
    let rows = bright.map { $0 / width }
    guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
    else { return try body([]) }
    let box = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4)
    defer { box.deallocate() }
    _ = box.initialize(from: [left, top, right + 1 - left, bottom + 1 - top].map { Float($0) })
    return try body([
      TensorView(
        shape: TensorShape(channels: 1, height: 1, width: 4), values: UnsafeBufferPointer(box))
    ])
  }
}

struct BrightSpotFamily: DetectorFamily {
  let outputs = ["spot"]
  let inputMultiple = 32

  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    maps.map { map in
      Self.face(Box(x: map.values[0], y: map.values[1], width: map.values[2], height: map.values[3]))
    }
  }

  /// Each point is at another place of the box, so that none can be confused with another.
  static func face(_ box: Box) -> Face {
    func point(_ x: Float, _ y: Float) -> Point { Point(x: box.x + box.width * x, y: box.y + box.height * y) }
    return Face(
      box: box, confidence: 1,
      points: FivePoints(
        leftEye: point(1, 0), rightEye: point(0, 0), noseTip: point(0.5, 0.5), mouthLeft: point(1, 1),
        mouthRight: point(0, 1)))
  }
}

/// A family that finds the same faces in any input.
struct FixedFamily: DetectorFamily {
  let outputs: [String] = []
  let inputMultiple = 32
  let faces: [Face]

  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    faces.filter { $0.confidence >= minConfidence }
  }
}
