public import ArgumentParser
public import Capture
import FaceCore

/// Which pictures a camera is to give, as flags of `face-engine watch`.
struct CameraArguments: ParsableArguments {
  @Flag(help: "List the cameras of this machine with what they offer, and end.")
  var listCameras = false

  @Option(
    help:
      "Take pictures of this format from a camera: nv12, yuyv or mjpeg. (default: the first of them that reaches the rate)"
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
