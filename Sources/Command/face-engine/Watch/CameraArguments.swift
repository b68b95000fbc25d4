public import ArgumentParser
import CallerOptions
public import Capture
import FaceCore

/// The mode requested from a camera, as flags of `face-engine watch`.
struct CameraArguments: ParsableArguments {
  @Flag(help: "List the cameras of this machine with what they offer, and end.")
  var listCameras = false

  @Option(
    help:
      "Take pictures of this format from a camera: nv12, yuyv, uyvy, nv16 or mjpeg. (default: the first of them that reaches the rate)"
  )
  var format: CameraFormat?

  @Option(
    help:
      "Take pictures of this size from a camera: WIDTHxHEIGHT. (default: the largest it has within 1280x720)")
  var size: SizeArgument?

  @Option(
    help:
      "Frames a second: asked of a camera (default: 30), the pace of a folder (default: as fast as they are searched), or what raw pixels were taken at (default: 30); a Y4M stream says its own."
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
