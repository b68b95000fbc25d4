import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// What the network sees: decoded, upright, scaled and padded.
enum InputDump {
  /// Saves as PNG what the network of `engine` sees of the image `file`.
  static func save(
    _ file: [UInt8], as engine: Engine, _ options: DetectionOptions, to path: String
  ) throws(Status) {
    let png = try withBytes(of: file) { (bytes) throws(Status) -> [UInt8] in
      let input = try engine.networkInput(ImageInput(.encoded(bytes)), options: options)
      return try Canvas(try input.padded()).png()
    }
    try withBytes(of: png) { (bytes) throws(Status) in try File.writeAtomically(path, bytes) }
  }
}
