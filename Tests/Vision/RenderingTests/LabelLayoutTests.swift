import FaceCore
import Rendering
import Testing

@Suite struct LabelLayoutTests {
  private static let picture = PixelSize(width: 400, height: 300)

  private func label(_ box: Box, _ confidence: Float = 1, width: Float = 60, height: Float = 20)
    -> LabelLayout.Label
  {
    LabelLayout.Label(box: box, confidence: confidence, width: width, height: height, gap: 3)
  }

  private func overlap(_ a: Box, _ b: Box) -> Bool { a.intersectionOverUnion(b) > 0 }

  @Test func aPlateIsAboveItsFace() {
    let plates = LabelLayout.place([label(Box(x: 100, y: 100, width: 80, height: 100))], in: Self.picture)
    #expect(plates == [Box(x: 100, y: 77, width: 60, height: 20)])
  }

  /// At each edge and in each corner the plate is inside the picture and off the face.
  @Test(arguments: [Float(-20), 150, 340], [Float(-30), 100, 230])
  func platesStayInside(x: Float, y: Float) throws {
    let box = Box(x: x, y: y, width: 80, height: 100)
    let plate = try #require(LabelLayout.place([label(box)], in: Self.picture)[0])
    #expect(plate.x >= 0 && plate.y >= 0 && plate.maxX <= 400 && plate.maxY <= 300)
    #expect(!overlap(plate, box))
  }

  /// In a crowd plates keep apart, and hide no other face by more than a quarter.
  @Test(arguments: [3, 5, 8]) func platesKeepApart(columns: Int) {
    let step = 400 / Float(columns)
    let labels = (0..<columns * columns).map { number in
      label(
        Box(
          x: step * Float(number % columns) + 4, y: 300 / Float(columns) * Float(number / columns) + 22,
          width: step * 0.6, height: step * 0.5), 0.3 + 0.01 * Float(number % 7), width: 40, height: 14)
    }
    let plates = LabelLayout.place(labels, in: Self.picture)
    #expect(plates.count == labels.count)
    let placed = plates.compactMap(\.self)
    #expect(placed.count * 10 > labels.count * 8)
    for (index, plate) in placed.enumerated() {
      #expect(!placed[..<index].contains { overlap($0, plate) })
    }
  }

  /// If there is room for one plate, it belongs to the more confident face.
  @Test(arguments: [false, true]) func theMoreConfidentFaceHasTheRoom(firstIsMore: Bool) {
    let picture = PixelSize(width: 70, height: 60)
    let boxes = [Box(x: 0, y: 22, width: 34, height: 38), Box(x: 36, y: 22, width: 34, height: 38)]
    let labels = zip(boxes, firstIsMore ? [0.9, 0.5] : [0.5, 0.9]).map { box, confidence in
      label(box, Float(confidence), width: 60, height: 18)
    }
    let plates = LabelLayout.place(labels, in: picture)
    #expect((plates[0] != nil) == firstIsMore && (plates[1] != nil) == !firstIsMore)
  }

  @Test func labelThatFitsNowhereIsLeftOut() {
    let box = Box(x: 10, y: 10, width: 50, height: 50)
    #expect(LabelLayout.place([label(box, width: 500)], in: Self.picture) == [nil])
    let nowhere = Box(x: .nan, y: 10, width: 50, height: 50)
    #expect(LabelLayout.place([label(nowhere)], in: Self.picture) == [nil])
    #expect(LabelLayout.place([label(Box(x: 900, y: 900, width: 50, height: 50))], in: Self.picture) == [nil])
    #expect(LabelLayout.place([], in: Self.picture).isEmpty)
  }

  /// The layout of more faces than plates can have places ends soon: only the most confident thousand are
  /// considered.
  @Test func layoutOfManyFacesIsBounded() {
    let labels = (0..<20_000).map { (number: Int) -> LabelLayout.Label in
      let (column, row) = (number % 40, number / 40 % 30)
      let box = Box(x: Float(column) * 10, y: Float(row) * 10, width: 9, height: 9)
      return label(box, Float(number) / 20_000, width: 8, height: 6)
    }
    let plates = LabelLayout.place(labels, in: Self.picture)
    let last = plates.count - LabelLayout.maxLabels
    #expect(plates[..<last].allSatisfy { $0 == nil } && plates[last...].contains { $0 != nil })
  }
}
