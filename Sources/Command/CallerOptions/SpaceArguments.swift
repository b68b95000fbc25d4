public import ArgumentParser
public import FaceCore

/// The coordinates in which positions are printed.
public struct SpaceArguments: ParsableArguments, Sendable {
  @Option(
    help:
      "Coordinates of the printed positions: pixels, or normalised to 0 to 1, with the origin at the top-left corner or the bottom-left one."
  )
  public var space: NamedSpace?

  @Option(
    help: ArgumentHelp(
      "Print positions in a view that shows the image: WIDTHxHEIGHT[,contain|cover|stretch][,90|180|270][,mirrored].",
      valueName: "shape"))
  public var view: ViewArgument?

  @Flag(help: "Print points relative to the face's box, 0 to 1.")
  public var pointsInBox = false

  @Option(
    help: "Convert this circle, X,Y,RADIUS in --space or --view, to pixels of the image, and print it.")
  public var mask: CircleArgument?

  public init() {}

  public func validate() throws {
    guard space == nil || view == nil else {
      throw ValidationError("--space and --view exclude each other.")
    }
  }

  /// Converts the faces' positions to the chosen coordinates.
  public func placed(_ result: DetectionResult) throws(Status) -> DetectionResult {
    let map = try conversion(result.imageSize).toSpace
    var placed = result
    placed.faces = result.faces.map { pointsInBox ? SpaceArguments.inBox(map($0)) : map($0) }
    return placed
  }

  /// The circle of --mask in pixels of an upright image.
  public func mask(inImageOf size: PixelSize) throws(Status) -> Circle? {
    guard let mask else { return nil }
    return try conversion(size).fromSpace(mask.circle)
  }

  private func conversion(_ size: PixelSize) throws(Status) -> CoordinateConversion {
    try (view.map { .view($0.transform) } ?? space?.space ?? .pixels).conversion(for: size)
  }

  /// Returns the face with its points relative to its box. Depth has the unit of x.
  private static func inBox(_ face: Face) -> Face {
    let box = face.box
    var moved = face
    moved.points = face.points?.map { box.toRelative($0) ?? $0 }
    if let points = face.landmarks?.points {
      moved.landmarks?.points = points.map { point in
        let relative = box.toRelative(point.point) ?? point.point
        return Point3D(x: relative.x, y: relative.y, z: point.z / box.width)
      }
    }
    return moved
  }
}

/// The coordinate spaces without parameters.
public enum NamedSpace: String, ExpressibleByArgument, CaseIterable, Sendable {
  case pixels
  case normalised
  case normalisedBottomLeft = "normalised-bottom-left"
  case pixelsBottomLeft = "pixels-bottom-left"

  public var space: CoordinateSpace {
    switch self {
    case .pixels: .pixels
    case .normalised: .normalised
    case .normalisedBottomLeft: .normalisedBottomLeft
    case .pixelsBottomLeft: .pixelsBottomLeft
    }
  }
}

/// A view and how the image is shown in it.
public struct ViewArgument: ExpressibleByArgument, Sendable {
  public let transform: ViewTransform

  public init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard let size = parts.first.flatMap({ Numbers.size($0) }) else { return nil }
    var transform = ViewTransform(width: Float(size.width), height: Float(size.height))
    for part in parts.dropFirst() {
      if let fit = ViewTransform.Fit.allCases.first(where: { "\($0)" == part }) {
        transform.fit = fit
      } else if let turn = UInt16(part).flatMap(QuarterTurn.init(rawValue:)) {
        transform.rotation = turn
      } else if part == "mirrored" {
        transform.isMirrored = true
      } else {
        return nil
      }
    }
    self.transform = transform
  }
}

/// A circle as three numbers.
public struct CircleArgument: ExpressibleByArgument, Sendable {
  public let circle: Circle

  public init?(argument: String) {
    guard let numbers = Numbers.list(argument, count: 3), numbers[2] >= 0 else { return nil }
    circle = Circle(center: Point(x: numbers[0], y: numbers[1]), radius: numbers[2])
  }
}
