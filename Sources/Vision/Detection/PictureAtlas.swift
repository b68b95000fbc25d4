package import FaceCore
package import Imaging

/// An image of several parts of one picture side by side, each in a square of its own: one input of the
/// network instead of many.
struct PictureAtlas: ~Copyable {
  /// The whole input; a single colour where no part is shown.
  let bitmap: Bitmap
  let side: Int
  private let count: Int
  private let columns: Int

  /// The most squares in a row: the network is faster with longer rows, but more squares gain nothing.
  fileprivate static let maxColumns = 8
  /// The largest offset and the sides, in sides of the square, of a face in the middle of its square.
  fileprivate static let maxOffset: Float = 0.2
  fileprivate static let sides: ClosedRange<Float> = 0.2...1

  /// - Parameters:
  ///   - count: one or more.
  ///   - side: the least side of a square; `multiple` as in `Letterbox.init`.
  init(_ count: Int, side: Int, multiple: Int, background: UInt32) throws(Status) {
    precondition(count > 0)
    let rows = (count + PictureAtlas.maxColumns - 1) / PictureAtlas.maxColumns
    columns = (count + rows - 1) / rows
    self.side = (side + multiple - 1) / multiple * multiple
    self.count = count
    bitmap = try Bitmap(size: PixelSize(width: columns * self.side, height: rows * self.side))
    bitmap.pixels.withMemoryRebound(to: UInt32.self) { $0.update(repeating: background) }
  }

  /// Copies pixels to the top-left corner of a square.
  func draw(_ pixels: BorrowedPixels, at index: Int) {
    precondition(index < count && max(pixels.size.width, pixels.size.height) <= side)
    bitmap.draw(pixels, x: index % columns * side, y: index / columns * side)
  }

  /// A face in one of the squares.
  struct Located {
    let index: Int
    /// In pixels of the square.
    let face: Face
    /// The distance of its middle from the square's, in sides of the square.
    let offset: Float
  }

  /// Returns a face, given in pixels of the atlas, in the square that contains its middle; `nil` if no part is
  /// shown there.
  func locate(_ face: Face) -> Located? {
    let (x, y) = (face.box.center.x / Float(side), face.box.center.y / Float(side))
    // Clamped before the conversion to an integer: a box may be finite and still beyond the range.
    let column = Int(min(max(x, 0), Float(columns - 1)))
    let row = Int(min(max(y, 0), Float(count)))
    let index = row * columns + column
    guard index < count else { return nil }
    let (across, down) = (x - Float(column) - 0.5, y - Float(row) - 0.5)
    return Located(
      index: index, face: face.moved(x: -Float(column * side), y: -Float(row * side)),
      offset: (across * across + down * down).squareRoot())
  }
}

extension DetectionPipeline {
  /// Searches several regions of the picture, side by side in one input of the network, which costs less than
  /// one search after the other.
  /// - Parameters:
  ///   - regions: one or more, with the bounds of `UprightImage.networkInput`'s.
  ///   - maxSide: the longest side of each region in the network's input.
  /// - Returns: for each region the faces whose middle is in it, including overlapping ones.
  package func search(
    _ picture: UprightImage, regions: [Box], maxSide: Int, minConfidence: Float
  ) throws(Status) -> [[Face]] {
    let atlas = try makeAtlas(regions.count, side: maxSide)
    var letterboxes: [Letterbox] = []
    for (index, region) in regions.enumerated() {
      let input = try picture.networkInput(
        of: region, maxSide: maxSide, multiple: inputMultiple, mayBorrow: true)
      atlas.draw(input.pixels, at: index)
      letterboxes.append(input.letterbox)
      extendLifetime(input)
    }
    var found = [[Face]](repeating: [], count: regions.count)
    for face in try search(atlas, of: picture, minConfidence: minConfidence) {
      guard let located = atlas.locate(face) else { continue }
      found[located.index].append(letterboxes[located.index].toImage(located.face))
    }
    return found
  }

  /// Searches several squares of the picture, each rotated upright, side by side in one input of the network.
  /// - Parameters:
  ///   - squares: with the bounds of `UprightImage.crop`.
  ///   - side: the least side of each square in the network's input, in pixels.
  /// - Returns: for each square the face in its middle, in pixels of the picture.
  package func search(
    _ picture: UprightImage, squares: [RotatedSquare], side: Int, minConfidence: Float
  ) throws(Status) -> [Face?] {
    // A network may bound its input's side, and an engine its pixels; full rows leave no square empty.
    let inPixels = maxInputPixels / (side * side)
    let spare = inPixels < PictureAtlas.maxColumns ? 0 : inPixels % PictureAtlas.maxColumns
    let most = max(1, min(maxInputSide.map { $0 / side } ?? .max, inPixels - spare, squares.count))
    var faces: [Face?] = []
    for start in stride(from: 0, to: squares.count, by: most) {
      faces += try search(
        picture, atOnce: squares[start..<min(start + most, squares.count)], side: side,
        minConfidence: minConfidence)
    }
    return faces
  }

  private func search(
    _ picture: UprightImage, atOnce squares: ArraySlice<RotatedSquare>, side: Int, minConfidence: Float
  ) throws(Status) -> [Face?] {
    let atlas = try makeAtlas(squares.count, side: side)
    for (index, square) in squares.enumerated() {
      let crop = try picture.crop(square, side: atlas.side, asDecoded: true)
      atlas.draw(crop.borrowed, at: index)
      extendLifetime(crop)
    }
    let toImage = squares.map { $0.toImage(cropSide: atlas.side) }
    var best: [Face?] = Array(repeating: nil, count: squares.count)
    for face in try search(atlas, of: picture, minConfidence: minConfidence) {
      guard let located = atlas.locate(face), located.offset <= PictureAtlas.maxOffset,
        PictureAtlas.sides.contains(face.box.meanSide / Float(atlas.side)),
        face.confidence > best[located.index]?.confidence ?? 0
      else { continue }
      best[located.index] = located.face
    }
    return zip(best, toImage).map { face, map in face.map { map.upright($0) } }
  }
}

extension Face {
  fileprivate func moved(x: Float, y: Float) -> Face {
    func moved(_ point: Point) -> Point { Point(x: point.x + x, y: point.y + y) }
    return Face(
      box: Box(x: box.x + x, y: box.y + y, width: box.width, height: box.height), confidence: confidence,
      points: points?.map(moved))
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
      box: Box(center: center, width: size.width, height: size.height),
      confidence: face.confidence, points: face.points.map { self($0) })
  }
}
