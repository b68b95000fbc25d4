public import ArgumentParser
public import CallerOptions
public import Rendering

/// How `face-engine draw` and `watch` cover faces.
struct CoverArguments: ParsableArguments {
  @Flag(
    help:
      "Blur each face, with hair and ears. Other marks are then drawn only if asked for. For privacy add --min-confidence 0.3 --accuracy high."
  )
  var blur = false

  @Flag(help: "Show each face as a few even cells instead.")
  var pixelate = false

  @Option(help: "Cells of a cover along the longer side of a face's box, 1 to 16. Fewer show less.")
  var coverCells = FaceCover().cells

  @Option(help: "Space on each side of the box that a cover hides too, in units of the box, 0 to 2.")
  var coverMargin = FaceCover().margin

  @Option(help: "Shape of a cover.")
  var coverShape = FaceCover().shape

  @Option(
    name: .colour("cover"),
    help: "Colour laid over a cover. An opaque one, such as black, leaves nothing of a face.")
  var coverColour = FaceCover().colour

  func validate() throws {
    guard !blur || !pixelate else { throw ValidationError("--blur and --pixelate exclude each other.") }
    try ValidationError.reporting { try cover.validate() }
  }

  var marks: FaceStyle.Marks { blur ? .blurred : pixelate ? .pixelated : [] }

  /// Whether faces are covered.
  var areAsked: Bool { !marks.isEmpty }

  var cover: FaceCover {
    var cover = FaceCover()
    cover.cells = coverCells
    cover.margin = coverMargin
    cover.shape = coverShape
    cover.colour = coverColour
    return cover
  }
}

extension FaceCover.Shape: NamedArgument {}
