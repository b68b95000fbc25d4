import Detection
import FaceCore
import Inference
import Synchronization

/// The long sides that were searched, in order.
final class SearchedSides: Sendable {
  let sides = Mutex<[Int]>([])
}

/// Outputs the width of its input.
struct WidthNetwork: Network {
  let runtime = "none"
  let searches: SearchedSides

  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    let width = input.shape.width
    searches.sides.withLock { $0.append(width) }
    let value = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1)
    defer { value.deallocate() }
    value.initialize(repeating: Float(width))
    return try body([
      TensorView(shape: TensorShape(channels: 1, height: 1, width: 1), values: UnsafeBufferPointer(value))
    ])
  }
}

/// A family that finds scripted faces in an input of each width.
struct ScriptedFamily: DetectorFamily {
  let outputs = ["width"]
  let inputMultiple = 32
  let faces: [Int: [Face]]

  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    maps.flatMap { faces[Int($0.values[0])] ?? [] }.filter { $0.confidence >= minConfidence }
  }
}
