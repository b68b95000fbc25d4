public import ArgumentParser
import CallerOptions
public import Capture
import FaceCore

/// The mode requested from a camera, as flags of `face-engine watch`.
struct CameraArguments: ParsableArguments {
  @Flag(help: "List the cameras of this machine and their formats, sizes and rates, and exit.")
  var listCameras = false

  @Option(
    help:
      "Format of a camera's pictures. (default: the first of these that reaches the frame rate)"
  )
  var format: CameraFormat?

  @Option(
    help:
      "Size of a camera's pictures: WIDTHxHEIGHT. (default: the camera's largest within 1280x720)")
  var size: SizeArgument?

  @Option(
    help:
      "Frames per second: the rate requested from a camera (default: 30), the pace of a folder (default: as fast as possible), or the rate at which raw pixels were recorded (default: 30). A Y4M stream states its own rate."
  )
  var fps: Int?

  func validate() throws {
    if let fps, !(1...1000).contains(fps) {
      throw ValidationError("--fps \(fps) must be a number from 1 to 1000.")
    }
  }

  var options: CameraOptions {
    CameraOptions(format: format, size: size?.size, framesPerSecond: fps)
  }

  var rate: FrameRate? { fps.flatMap { FrameRate(UInt32($0)) } }
}

extension CameraFormat: ExpressibleByArgument {}

/// Text output for cameras.
extension ListedCamera {
  /// The camera and a line for each of its modes.
  var text: String {
    (["\(path): \(name)"] + modes.map { "  " + $0.text }).joined(separator: "\n")
  }
}

extension ListedCamera.Mode {
  fileprivate var text: String {
    CameraText.mode(format, size, rate)
  }
}

extension OpenedCamera {
  var text: String { CameraText.mode(format, size, rate) }
}

private enum CameraText {
  static func mode(_ format: CameraFormat, _ size: PixelSize?, _ rate: Double?) -> String {
    var text = format.rawValue
    if let size { text += " \(size.width)x\(size.height)" }
    if let rate, rate < 1e6 {
      let tenths = Int((rate * 10).rounded())
      text += ", \(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " frames a second"
    }
    return text
  }
}
