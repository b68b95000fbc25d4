import ArgumentParser
import CallerOptions
import Capture
import FaceCore

/// The settings for reading the files: orientation, region and the layout of raw pixels.
struct InputArguments: ParsableArguments {
  @OptionGroup var image: ImageArguments

  @Option(
    help: ArgumentHelp(
      "Orientation of a camera: SENSOR,DEVICE[,front], the clockwise rotations of its sensor and of the device in degrees, "
        + "as in 90,180,front.",
      valueName: "turns"))
  var camera: CameraTurn?

  @Option(
    help: ArgumentHelp(
      "The files are raw pixels: FORMAT:WIDTHxHEIGHT[:STRIDE][:COLOUR], as in nv12:640x480:704:bt709-video. Planes follow "
        + "each other without gaps.",
      valueName: "layout"))
  var raw: PixelLayout?

  func validate() throws {
    guard image.orientation == nil || camera == nil else {
      throw ValidationError("--orientation and --camera exclude each other: both set the orientation.")
    }
  }

  /// The image in a file's bytes, which are borrowed.
  func image(_ bytes: UnsafeRawBufferPointer) throws(Status) -> ImageInput {
    image(
      try raw.map { (layout) throws(Status) in .pixels(try layout.view(ofFile: bytes)) } ?? .encoded(bytes))
  }

  /// The image of a frame, whose pixels have the shape that its source says unless another one is given.
  func image(_ frame: CapturedFrame) -> ImageInput {
    var input = image(frame.content)
    if let shape = frame.shape, image.pixelAspect == nil { input.pixelAspect = shape.aspect }
    return input
  }

  /// The image of `source` with these settings.
  func image(_ source: ImageInput.Source) -> ImageInput {
    var input = ImageInput(source)
    image.set(&input)
    if let camera { input.orientation = camera.orientation }
    return CommandDecoder.decoding(input)
  }
}

/// The orientation of a camera in a rotated device.
struct CameraTurn: ExpressibleByArgument {
  let orientation: Orientation

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 && parts[2] == "front",
      let sensor = UInt16(parts[0]).flatMap(QuarterTurn.init(rawValue:)),
      let device = UInt16(parts[1]).flatMap(QuarterTurn.init(rawValue:))
    else { return nil }
    orientation = Orientation(sensor: sensor, device: device, facesUser: parts.count == 3)
  }
}
