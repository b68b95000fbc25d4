import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// What the network sees: decoded, upright, scaled and padded.
enum InputDump {
  /// Saves as PNG what the network of `engine` sees of the image.
  static func save(
    _ image: ImageInput, as engine: Engine, _ options: DetectionOptions, to path: String
  ) throws(Status) {
    let png = try Canvas(try engine.networkInput(image, options: options).padded()).png()
    try withBytes(of: png) { (bytes) throws(Status) in try File.writeAtomically(path, bytes) }
  }
}
