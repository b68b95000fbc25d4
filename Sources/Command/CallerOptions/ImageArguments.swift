public import ArgumentParser
public import FaceCore

/// How the stored pixels of pictures are seen, and where to search: for files, cameras and callers of the gateway.
public struct ImageArguments: ParsableArguments, Sendable {
  @Option(help: "Use this EXIF orientation instead of the file's.")
  public var orientation: Orientation?

  @Flag(help: "The pictures are mirror images, as from a front camera: mirror them back.")
  public var mirrored = false

  @Option(help: "Search only this region: X,Y,WIDTH,HEIGHT in pixels of the upright image.")
  public var region: BoxArgument?

  @Option(
    help:
      "Width of a stored pixel divided by its height, as in 1.0667 for PAL DV video. (default: as the video says, else 1)"
  )
  public var pixelAspect: Float?

  public init() {}

  public func validate() throws {
    if let pixelAspect, !ImageInput.pixelAspects.contains(pixelAspect) {
      throw ValidationError("--pixel-aspect is \(pixelAspect); give 0.1 to 10.")
    }
  }

  public func set(_ image: inout ImageInput) {
    image.orientation = orientation
    image.isMirrored = mirrored
    image.region = region?.box
    if let pixelAspect { image.pixelAspect = pixelAspect }
  }
}

extension Orientation: ExpressibleByArgument {}
