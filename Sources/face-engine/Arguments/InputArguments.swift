public import ArgumentParser
public import FaceCore

/// What the files hold beyond what they say themselves, as flags of `face-engine detect`.
struct InputArguments: ParsableArguments {
  @Option(
    help: "Turn the stored pixels by this value of EXIF's Orientation, 1 to 8, whatever the file says.")
  var orientation: Orientation?

  @Option(
    help: ArgumentHelp(
      "Turn them as a camera's: SENSOR,DEVICE[,front], how far its sensor's pixels and the device are turned clockwise, "
        + "as in 90,180,front.",
      valueName: "turns"))
  var camera: CameraTurn?

  @Flag(help: "The pictures are mirror images, as from a front camera: mirror them back.")
  var mirrored = false

  @Option(help: "Look only here: X,Y,WIDTH,HEIGHT in pixels of the upright image.")
  var region: RegionArgument?

  @Option(
    help: ArgumentHelp(
      "The files are raw pixels: FORMAT:WIDTHxHEIGHT[:STRIDE][:COLOUR], as in nv12:640x480:704:bt709-video. Planes follow "
        + "each other without a gap.",
      valueName: "layout"))
  var raw: RawLayout?

  func validate() throws {
    guard orientation == nil || camera == nil else {
      throw ValidationError("--orientation and --camera exclude each other: both say how to turn the pixels.")
    }
  }

  /// The image in a file's bytes, which are borrowed.
  func image(_ bytes: UnsafeRawBufferPointer) throws(Status) -> ImageInput {
    image(try raw.map { (layout) throws(Status) in .pixels(try layout.view(bytes)) } ?? .encoded(bytes))
  }

  /// The same for what is known to be pixels, or a file.
  func image(_ source: ImageInput.Source) -> ImageInput {
    var image = ImageInput(source, orientation: orientation ?? camera?.orientation)
    image.isMirrored = mirrored
    image.region = region?.box
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

/// K6: a camera in a device that is turned.
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

/// Four numbers that are a box.
struct RegionArgument: ExpressibleByArgument {
  let box: Box

  init?(argument: String) {
    guard let numbers = Numbers.list(argument, count: 4) else { return nil }
    box = Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}
