import FaceCore
import TestSupport
import Testing

@Suite struct BoxTests {
  /// Boxes with whole corners, and the cells of a grid that each covers: counting is the definition of an
  /// overlap.
  @Test func overlapIsTheShareOfCellsCoveredByBoth() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let first = Self.wholeBox(&generator)
      let second = Self.wholeBox(&generator)
      let both = Self.cells(first).intersection(Self.cells(second)).count
      let either = Self.cells(first).union(Self.cells(second)).count
      let expected = Float(both) / Float(either)
      #expect(abs(first.intersectionOverUnion(second) - expected) < 1e-6)
      #expect(first.intersectionOverUnion(second) == second.intersectionOverUnion(first))
    }
  }

  @Test func anEmptyBoxOverlapsNothing() {
    let empty = Box(x: 5, y: 5, width: 0, height: 0)
    #expect(empty.intersectionOverUnion(empty) == 0)
    #expect(empty.intersectionOverUnion(Box(x: 0, y: 0, width: 10, height: 10)) == 0)
  }

  @Test func clampingKeepsTheCellsInsideTheImage() {
    let size = PixelSize(width: 12, height: 9)
    let image = Self.cells(Box(x: 0, y: 0, width: 12, height: 9))
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let box = Self.wholeBox(&generator)
      #expect(Self.cells(box.clamped(to: size)) == Self.cells(box).intersection(image))
    }
  }

  @Test(arguments: [
    (Box(x: -50, y: 2, width: 10, height: 3), Point(x: 0, y: 2)),
    (Box(x: 90, y: 2, width: 10, height: 3), Point(x: 12, y: 2)),
    (Box(x: 2, y: -50, width: 3, height: 10), Point(x: 2, y: 0)),
    (Box(x: 2, y: 90, width: 3, height: 10), Point(x: 2, y: 9)),
  ])
  func clampingABoxOutsideGivesAnEmptyOneAtTheNearestEdge(box: Box, corner: Point) {
    let clamped = box.clamped(to: PixelSize(width: 12, height: 9))
    #expect(clamped.area == 0)
    #expect(Point(x: clamped.x, y: clamped.y) == corner)
    #expect(clamped.maxX <= 12 && clamped.maxY <= 9)
  }

  @Test func clampingKeepsABoxThatIsInside() {
    // In floats, 181.00691 + 100.4 - 181.00691 is more than 100.4.
    let box = Box(x: 181.00691, y: 181.00691, width: 100.4, height: 100.4)
    #expect(box.clamped(to: PixelSize(width: 512, height: 600)) == box)
  }

  private static func wholeBox(_ generator: inout SeededGenerator) -> Box {
    Box(
      x: Float(Int.random(in: -10...15, using: &generator)),
      y: Float(Int.random(in: -10...15, using: &generator)),
      width: Float(Int.random(in: 1...12, using: &generator)),
      height: Float(Int.random(in: 1...12, using: &generator)))
  }

  private static func cells(_ box: Box) -> Set<[Int]> {
    var cells: Set<[Int]> = []
    for x in Int(box.x)..<Int(box.maxX) {
      for y in Int(box.y)..<Int(box.maxY) { cells.insert([x, y]) }
    }
    return cells
  }
}
