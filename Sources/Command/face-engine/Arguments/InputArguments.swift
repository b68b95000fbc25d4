public import ArgumentParser
public import FaceCore
import Presentation

/// The settings for reading the files: orientation, region and the layout of raw pixels.
struct InputArguments: ParsableArguments {
  @Option(
    help: "Use this EXIF orientation, 1 to 8, instead of the file's.")
  var orientation: Orientation?

  @Option(
    help: ArgumentHelp(
      "Orientation of a camera: SENSOR,DEVICE[,front], the clockwise rotation of its sensor and of the device in degrees, "
        + "as in 90,180,front.",
      valueName: "turns"))
  var camera: CameraTurn?

  @Flag(help: "Mirror the pictures: they are mirror images, as from a front camera.")
  var mirrored = false

  @Option(help: "Search only this region: X,Y,WIDTH,HEIGHT in pixels of the upright image.")
  var region: BoxArgument?

  @Option(
    help: ArgumentHelp(
      "The files are raw pixels: FORMAT:WIDTHxHEIGHT[:STRIDE][:COLOUR], as in nv12:640x480:704:bt709-video. Planes follow "
        + "each other without a gap.",
      valueName: "layout"))
  var raw: PixelLayout?

  @Option(help: "Width of a stored pixel divided by its height, unless square, as in 1.0667 for DV.")
  var pixelAspect: Float = 1

  func validate() throws {
    guard ImageInput.pixelAspects.contains(pixelAspect) else {
      throw ValidationError("--pixel-aspect is \(pixelAspect); give 0.1 to 10.")
    }
    guard orientation == nil || camera == nil else {
      throw ValidationError("--orientation and --camera exclude each other: both set the orientation.")
    }
  }

  /// The image in a file's bytes, which are borrowed.
  func image(_ bytes: UnsafeRawBufferPointer) throws(Status) -> ImageInput {
    image(
      try raw.map { (layout) throws(Status) in .pixels(try layout.view(ofFile: bytes)) } ?? .encoded(bytes))
  }

  /// The image of `source` with these settings.
  func image(_ source: ImageInput.Source) -> ImageInput {
    var image = ImageInput(source, orientation: orientation ?? camera?.orientation)
    image.isMirrored = mirrored
    image.region = region?.box
    image.pixelAspect = pixelAspect
    image.decoder = CommandDecoder.current
    return image
  }
}

extension Orientation: ExpressibleByArgument {
  public init?(argument: String) {
    guard let orientation = UInt8(argument).flatMap(Orientation.init(rawValue:)) else { return nil }
    self = orientation
  }

  public static var allValueStrings: [String] { allCases.map { String($0.rawValue) } }
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
