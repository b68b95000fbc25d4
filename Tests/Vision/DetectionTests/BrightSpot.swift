import Detection
import FaceCore
import Inference

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
      let box = Box(x: map.values[0], y: map.values[1], width: map.values[2], height: map.values[3])
      // Each point is at another place of the box, so that none can be confused with another.
      func point(_ x: Float, _ y: Float) -> Point {
        Point(x: box.x + box.width * x, y: box.y + box.height * y)
      }
      return Face(
        box: box, confidence: 1,
        points: FivePoints(
          leftEye: point(1, 0), rightEye: point(0, 0), noseTip: point(0.5, 0.5), mouthLeft: point(1, 1),
          mouthRight: point(0, 1)))
    }
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
