import FaceCore
import ONNX

/// A file is refused with a status, or becomes a graph and its weights; and the same for a file that is cut for an
/// engine that runs such files.
///
/// The input: the file.
enum ONNXFuzz {
  static func run(_ input: Span<UInt8>) {
    let file = input.withUnsafeBufferPointer { Array($0) }
    do throws(Status) {
      let trimmed = try TrimmedNetwork(file)
      precondition(
        !trimmed.outputs.isEmpty && Set(trimmed.outputs.map(\.name)).count == trimmed.outputs.count)
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
    do throws(Status) {
      let network = try ONNXImporter.network(file)
      precondition(network.graph.starts(with: "7767517\n".utf8) && network.graph.last == UInt8(ascii: "\n"))
      // A line a layer behind two others.
      let lines = network.graph.split(separator: UInt8(ascii: "\n"))
      let counts = lines[1].split(separator: UInt8(ascii: " "))
      precondition(counts[0].elementsEqual("\(lines.count - 2)".utf8))
      precondition(network.weights.count.isMultiple(of: 4))
      if let normalisation = network.normalisation {
        precondition((normalisation.mean + normalisation.scale).allSatisfy(\.isFinite))
      }
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
  }
}
