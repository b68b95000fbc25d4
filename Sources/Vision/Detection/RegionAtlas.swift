import FaceCore
import Imaging

/// An image of several regions of one picture side by side, each in a square of its own: one input of the
/// network instead of many.
struct RegionAtlas: ~Copyable {
  /// The whole input; a single colour where no region is shown.
  let bitmap: Bitmap
  /// The maps from each region's square to the picture.
  private let letterboxes: [Letterbox]
  private let side: Int
  private let columns: Int

  /// The most squares in a row: the network is faster with longer rows, but more squares gain nothing.
  private static let maxColumns = 8

  /// - Parameters: as in `DetectionPipeline.search(_:regions:maxSide:minConfidence:)`; `multiple` as in
  ///   `Letterbox.init`.
  init(
    _ picture: UprightImage, _ regions: [Box], maxSide: Int, multiple: Int, background: UInt32
  ) throws(Status) {
    let rows = (regions.count + RegionAtlas.maxColumns - 1) / RegionAtlas.maxColumns
    let columns = (regions.count + rows - 1) / rows
    let side = (maxSide + multiple - 1) / multiple * multiple
    let bitmap = try Bitmap(size: PixelSize(width: columns * side, height: rows * side))
    bitmap.pixels.withMemoryRebound(to: UInt32.self) { $0.update(repeating: background) }
    var letterboxes: [Letterbox] = []
    letterboxes.reserveCapacity(regions.count)
    for (index, region) in regions.enumerated() {
      let input = try picture.networkInput(
        of: region, maxSide: maxSide, multiple: multiple, mayBorrow: true)
      bitmap.draw(input.pixels, x: index % columns * side, y: index / columns * side)
      letterboxes.append(input.letterbox)
      extendLifetime(input)
    }
    self.bitmap = bitmap
    self.side = side
    self.columns = columns
    self.letterboxes = letterboxes
  }

  /// Returns faces, given in pixels of the atlas, by the region that contains their middle, in pixels of the
  /// picture.
  func byRegion(_ faces: [Face]) -> [[Face]] {
    var found = [[Face]](repeating: [], count: letterboxes.count)
    for face in faces {
      let column = Int(min(max((face.box.x + face.box.width / 2) / Float(side), 0), Float(columns - 1)))
      // Clamped before the conversion to an integer: a box may be finite and still beyond the range.
      let row = Int(min(max((face.box.y + face.box.height / 2) / Float(side), 0), Float(letterboxes.count)))
      let index = row * columns + column
      guard index < letterboxes.count else { continue }
      let (x, y) = (Float(column * side), Float(row * side))
      found[index].append(letterboxes[index].toImage(face.moved(x: -x, y: -y)))
    }
    return found
  }
}

extension Face {
  func moved(x: Float, y: Float) -> Face {
    func moved(_ point: Point) -> Point { Point(x: point.x + x, y: point.y + y) }
    return Face(
      box: Box(x: box.x + x, y: box.y + y, width: box.width, height: box.height), confidence: confidence,
      points: points?.map(moved))
  }
}
