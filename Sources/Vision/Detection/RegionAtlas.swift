import FaceCore
import Imaging

/// An image of several regions of one picture side by side, each in a square of its own: one input of the network instead
/// of many.
struct RegionAtlas: ~Copyable {
  /// The whole input; of one colour where no region is shown.
  let bitmap: Bitmap
  /// From each region's own square to the picture.
  private let letterboxes: [Letterbox]
  private let side: Int
  private let columns: Int

  /// Squares in a row: the network is the quicker the longer its rows, and more of them gain nothing.
  private static let maxColumns = 8

  /// - Parameters: as of `DetectionPipeline.search(_:regions:maxSide:minConfidence:)`; `multiple` as of `Letterbox.init`.
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

  /// Sorts faces in pixels of the atlas by the region in which their middle is, as faces in pixels of the picture.
  func byRegion(_ faces: [Face]) -> [[Face]] {
    var found = [[Face]](repeating: [], count: letterboxes.count)
    for face in faces {
      let column = Int(min(max((face.box.x + face.box.width / 2) / Float(side), 0), Float(columns - 1)))
      // Bounded before it becomes a whole number: a box may be finite and far beyond any.
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
