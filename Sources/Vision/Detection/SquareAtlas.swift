import FaceCore
import Imaging

/// An image of several squares of one picture side by side, each rotated upright and scaled to the same size:
/// one input of the network instead of many.
struct SquareAtlas: ~Copyable {
  /// The whole input; a single colour where no square is shown.
  let bitmap: Bitmap
  /// The maps from each square's own pixels to the picture.
  private let toImage: [AffineMap]
  private let side: Int
  private let columns: Int

  /// The most squares in a row, as in `RegionAtlas`.
  private static let maxColumns = 8

  /// - Parameters:
  ///   - squares: one or more.
  ///   - side: the least side of each square in the network's input.
  ///   - multiple: as in `Letterbox.init`.
  init(
    _ picture: UprightImage, _ squares: [RotatedSquare], side: Int, multiple: Int, background: UInt32
  ) throws(Status) {
    let side = (side + multiple - 1) / multiple * multiple
    let rows = (squares.count + SquareAtlas.maxColumns - 1) / SquareAtlas.maxColumns
    let columns = (squares.count + rows - 1) / rows
    let bitmap = try Bitmap(size: PixelSize(width: columns * side, height: rows * side))
    bitmap.pixels.withMemoryRebound(to: UInt32.self) { $0.update(repeating: background) }
    for (index, square) in squares.enumerated() {
      let crop = try picture.crop(square, side: side, asDecoded: true)
      bitmap.draw(crop.borrowed, x: index % columns * side, y: index / columns * side)
      extendLifetime(crop)
    }
    self.bitmap = bitmap
    self.side = side
    self.columns = columns
    toImage = squares.map { $0.toImage(cropSide: side) }
  }

  /// Returns the most confident face, given in pixels of the atlas, in the middle of each square, in pixels
  /// of the picture: its middle is near the square's, and it has about half its side. `nil` where there is
  /// none.
  func faces(_ found: [Face]) -> [Face?] {
    var best: [Face?] = Array(repeating: nil, count: toImage.count)
    for face in found {
      let (center, size) = (face.box.center, face.box.meanSide / Float(side))
      let place = PixelPlace(center, side)
      let index = place.row * columns + place.column
      guard place.column < columns, toImage.indices.contains(index), SquareAtlas.sizes.contains(size),
        place.offset <= SquareAtlas.maxOffset, face.confidence > best[index]?.confidence ?? 0
      else { continue }
      best[index] = face.moved(x: -Float(place.column * side), y: -Float(place.row * side))
    }
    return zip(best, toImage).map { face, map in face.map { map.upright($0) } }
  }

  /// The largest distance of a face's middle from its square's, in sides of the square.
  private static let maxOffset: Float = 0.2
  private static let sizes: ClosedRange<Float> = 0.2...1
}

/// The square of an atlas that contains a point, and the point's distance from its middle, in sides of the
/// square.
private struct PixelPlace {
  let column: Int
  let row: Int
  let offset: Float

  init(_ point: Point, _ side: Int) {
    // Clamped before the conversion to an integer: a box may be finite and still beyond the range.
    let (x, y) = (point.x / Float(side), point.y / Float(side))
    column = Int(min(max(x, 0), 1e6))
    row = Int(min(max(y, 0), 1e6))
    let (across, down) = (x - Float(column) - 0.5, y - Float(row) - 0.5)
    offset = (across * across + down * down).squareRoot()
  }
}

extension AffineMap {
  /// Returns a face that is upright in a turned view, in the picture: its box is the bounding box of the
  /// ellipse in the turned box, which for quarter turns is that box.
  func upright(_ face: Face) -> Face {
    let center = self(face.box.center)
    let (width, height) = (Double(face.box.width), Double(face.box.height))
    func side(_ alongX: Double, _ alongY: Double) -> Float {
      Float((alongX * alongX * width * width + alongY * alongY * height * height).squareRoot())
    }
    let size = (width: side(xx, xy), height: side(yx, yy))
    return Face(
      box: Box(
        x: center.x - size.width / 2, y: center.y - size.height / 2, width: size.width, height: size.height),
      confidence: face.confidence, points: face.points.map { self($0) })
  }
}
