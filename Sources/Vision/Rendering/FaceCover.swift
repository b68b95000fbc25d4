public import FaceCore
public import Imaging

/// How much of a face and its surroundings is made unrecognisable, and how coarse what remains is.
public struct FaceCover: Equatable, Sendable {
  public enum Shape: UInt8, Sendable, CaseIterable {
    case ellipse = 0
    case box = 1
  }

  /// The number of cells along the longer side of the box. Only their means remain.
  public var cells = 6
  /// Space on each side of the box, in units of its width and height. The default covers hair, ears and chin.
  public var margin: Float = 0.3
  public var shape = Shape.ellipse
  /// Laid over the cover. If it is opaque, nothing remains of the face.
  public var colour = Colour(rgba: 0)

  public init() {}

  static let maxCells = 16
  static let maxMargin: Float = 2
  /// The least side of a cell in pixels: the cover of a tiny face has fewer cells.
  static let minSide: Float = 4

  /// Throws `invalidArgument` for a number out of range.
  public func validate() throws(Status) {
    guard (1...FaceCover.maxCells).contains(cells) else {
      throw Status(
        .invalidArgument,
        "a cover cannot have \(cells) cells; give 1 to \(FaceCover.maxCells) across the face")
    }
    guard (0...FaceCover.maxMargin).contains(margin) else {
      throw Status(
        .invalidArgument,
        "the margin of a cover is \(margin); give 0 to \(FaceCover.maxMargin), in units of the face's box")
    }
  }

  /// Returns the box with its margin.
  public func area(of face: Box) -> Box {
    let (across, along) = (margin * face.width, margin * face.height)
    return Box(
      x: face.x - across, y: face.y - along, width: face.width + 2 * across, height: face.height + 2 * along)
  }
}

extension Canvas {
  /// Covers each face as `style` says, pixelated or else blurred. Boxes without a finite position are skipped.
  ///
  /// What a cover shows depends only on the means of its cells, so nothing finer can be restored. Where covers
  /// overlap, the later one has the means of what the earlier one shows.
  public func cover(_ faces: [Box], style: FaceStyle) {
    let drawn = faces.filter { $0.isValid && Canvas.isDrawable($0.x, $0.y, $0.width, $0.height) }
    guard !drawn.isEmpty else { return }
    let isSmooth = !style.marks.contains(.pixelated)
    withPixels { pixels in
      for face in drawn {
        let cells = CoverCells(of: face, style.cover, hasRim: style.antialias, in: size)
        cells?.cover(pixels, isSmooth: isSmooth, style.cover.colour)
      }
    }
  }
  /// Draws `picture` over the cover of each face, undistorted and as large as needed to fill the box with its margin.
  public func draw(_ picture: borrowing TransparentPicture, overCoversOf faces: [Box], _ cover: FaceCover) {
    let (width, height) = (Float(picture.bitmap.size.width), Float(picture.bitmap.size.height))
    for face in faces where face.isValid {
      let area = cover.area(of: face)
      let scale = max(area.width / width, area.height / height)
      drawImage(picture, in: Box(center: area.center, width: scale * width, height: scale * height))
    }
  }
}
