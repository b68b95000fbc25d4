import Engine
import FaceCore
import Imaging
import Rendering

/// What the network sees: decoded, upright, scaled and padded.
enum InputDump {
  /// Saves as PNG what the network of `engine` sees of the image.
  static func save(
    _ image: ImageInput, as engine: Engine, _ options: DetectionOptions, to path: String
  ) throws(Status) {
    try Annotation.save(
      try Canvas(on: try engine.networkInput(image, options: options).padded()), to: path)
  }
}
