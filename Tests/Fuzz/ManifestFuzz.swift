import FaceCore
import ModelStore

/// A text is refused with a status that names the problem, or describes a package whose numbers are
/// consistent.
///
/// The input: a `model.json`.
enum ManifestFuzz {
  static func run(_ input: Span<UInt8>) {
    let text = input.withUnsafeBufferPointer { Array($0) }
    do throws(Status) {
      let manifest = try ModelManifest(json: text)
      precondition(manifest.strides.allSatisfy { manifest.input.multiple.isMultiple(of: $0) })
      precondition(manifest.outputs.values.allSatisfy { $0.count == manifest.strides.count })
      precondition((manifest.input.mean + manifest.input.scale).allSatisfy(\.isFinite))
      // Each lies in the package's folder.
      precondition(manifest.files.allSatisfy { !$0.name.isEmpty && !$0.name.contains("/") && $0.size > 0 })
    } catch {
      precondition(error.code == .failedPrecondition && !error.message.isEmpty)
    }
  }
}
