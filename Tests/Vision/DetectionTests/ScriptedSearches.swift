import Detection
import FaceCore
import Imaging
import Inference
import Synchronization
import TestSupport

/// A pipeline that finds scripted faces in an input of each width, and records the widths that were searched, in order.
final class ScriptedSearches: Sendable {
  let pipeline: DetectionPipeline
  private let network = WidthNetwork()

  init(_ faces: [Int: [Face]], maxInputPixels: Int = .max) {
    pipeline = DetectionPipeline(
      network: network, family: ScriptedFamily(faces: faces), input: .plain, maxInputPixels: maxInputPixels)
  }

  var widths: [Int] { network.widths.withLock { $0 } }
}

/// Outputs the width of its input.
private final class WidthNetwork: Network {
  let runtime = "none"
  let widths = Mutex<[Int]>([])

  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    let width = input.shape.width
    widths.withLock { $0.append(width) }
    let value = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1)
    defer { value.deallocate() }
    value.initialize(repeating: Float(width))
    return try body([
      TensorView(shape: TensorShape(channels: 1, height: 1, width: 1), values: UnsafeBufferPointer(value))
    ])
  }
}

private struct ScriptedFamily: DetectorFamily {
  let outputs = ["width"]
  let inputMultiple = 32
  let faces: [Int: [Face]]

  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    maps.flatMap { faces[Int($0.values[0])] ?? [] }.filter { $0.confidence >= minConfidence }
  }
}

extension Picture {
  static func black(_ width: Int, _ height: Int) -> Picture {
    Picture(width, height) { _, _ in RGB(0, 0, 0) }
  }
}
