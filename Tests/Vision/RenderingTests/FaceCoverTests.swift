import FaceCore
import Imaging
import Rendering
import TestSupport
import Testing

/// Blurred and pixelated faces, above all that nothing finer than a cell's mean remains.
@Suite struct FaceCoverTests {
  private static let (width, height) = (240, 180)

  private static func style(_ marks: FaceStyle.Marks, _ change: (inout FaceCover) -> Void = { _ in })
    -> FaceStyle
  {
    var style = FaceStyle()
    style.marks = marks
    change(&style.cover)
    return style
  }

  private func covered(_ picture: Picture, _ boxes: [Box], _ style: FaceStyle) throws -> Picture {
    let canvas = try Canvas(try picture.bitmap())
    canvas.draw(boxes.map { Face(box: $0, confidence: 1, points: nil) }, style: style)
    return try canvas.withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
  }

  /// Whether the cover touches a pixel, sampled finely.
  private func isTouched(_ x: Int, _ y: Int, _ box: Box, _ cover: FaceCover) -> Bool {
    let area = cover.area(of: box)
    return (0...3).contains { row in
      (0...3).contains { column in
        let place = Point(x: Float(x) + Float(column) / 3, y: Float(y) + Float(row) / 3)
        guard cover.shape == .ellipse else {
          return place.x > area.x && place.x < area.maxX && place.y > area.y && place.y < area.maxY
        }
        let (across, along) = (
          (place.x - area.center.x) / area.width * 2, (place.y - area.center.y) / area.height * 2
        )
        return across * across + along * along < 1
      }
    }
  }

  /// A picture whose covered pixels are exchanged inside their cells, so that only the means stay.
  private func shuffled(_ picture: Picture, _ box: Box, _ cover: FaceCover) throws -> Picture {
    let cells = try #require(CoverCells(of: box, cover, hasRim: true, in: picture.size))
    var shuffled = picture
    var generator = SeededGenerator(seed: 7)
    let (xs, ys) = cells.edges
    for (left, right) in zip(xs, xs.dropFirst()) {
      for (top, bottom) in zip(ys, ys.dropFirst()) {
        let places = (top..<bottom).flatMap { y in (left..<right).map { (x: $0, y: y) } }
          .filter { isTouched($0.x, $0.y, box, cover) }
        for (place, other) in zip(places, places.shuffled(using: &generator)) {
          shuffled[place.x, place.y] = picture[other.x, other.y]
        }
      }
    }
    return shuffled
  }

  static let boxes = [
    Box(x: 70.3, y: 50.8, width: 64, height: 80), Box(x: -20, y: -31.5, width: 90, height: 75),
    Box(x: 200, y: 140, width: 77, height: 99), Box(x: 100, y: 80, width: 5, height: 5),
    Box(x: 30.5, y: 90, width: 13, height: 17), Box(x: -400, y: -500, width: 1000, height: 1200),
  ]

  /// Pictures whose cells have the same means are covered to the same picture, at every edge too.
  @Test(arguments: boxes, [FaceStyle.Marks.blurred, .pixelated])
  func nothingFinerThanACellRemains(box: Box, marks: FaceStyle.Marks) throws {
    let picture = Picture.noise(Self.width, Self.height, seed: 3)
    for shape in FaceCover.Shape.allCases {
      for margin: Float in [0, 0.3, 0.77] {
        for antialias in [true, false] {
          var style = Self.style(marks) { ($0.shape, $0.margin) = (shape, margin) }
          style.antialias = antialias
          let other = try shuffled(picture, box, style.cover)
          #expect(other != picture)
          let result = try covered(picture, [box], style)
          #expect(try covered(other, [box], style) == result, "\(shape) \(margin) \(antialias)")
          #expect(result != picture)
        }
      }
    }
  }

  /// Also where a later cover overlaps.
  @Test func overlappingCoversHideTheFirstFace() throws {
    let picture = Picture.noise(Self.width, Self.height, seed: 4)
    let boxes = [Box(x: 60, y: 50, width: 60, height: 70), Box(x: 100, y: 70, width: 50, height: 60)]
    for marks in [FaceStyle.Marks.blurred, .pixelated] {
      let style = Self.style(marks)
      let other = try shuffled(picture, boxes[0], style.cover)
      #expect(try covered(other, boxes, style) == covered(picture, boxes, style))
      let second = try shuffled(picture, boxes[1], style.cover)
      let reversed = [boxes[1], boxes[0]]
      #expect(try covered(second, reversed, style) == covered(picture, reversed, style))
    }
  }

  /// The margin covers the whole box, and the picture far from it stays.
  @Test(arguments: boxes) func onlyTheFaceAndItsMarginChange(box: Box) throws {
    let ground = Picture(Self.width, Self.height) { x, y in
      isInside(x, y, box) ? RGB(250, 10, 10) : RGB(10, 10, 250)
    }
    let style = Self.style(.blurred) { $0.colour = Colour(red: 0, green: 0, blue: 0) }
    let result = try covered(ground, [box], style)
    let area = style.cover.area(of: box)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        if isInside(x, y, box) { #expect(result[x, y] == RGB(0, 0, 0), "\(x) \(y)") }
        let far =
          Float(x) < area.x - 4 || Float(x) > area.maxX + 3 || Float(y) < area.y - 4
          || Float(y) > area.maxY + 3
        if far { #expect(result[x, y] == ground[x, y], "\(x) \(y)") }
      }
    }
  }

  private func isInside(_ x: Int, _ y: Int, _ box: Box) -> Bool {
    Float(x) >= box.x && Float(x + 1) <= box.maxX && Float(y) >= box.y && Float(y + 1) <= box.maxY
  }

  /// No cell is smaller than asked for, at the border of the picture neither.
  @Test func cellsHaveTheirLeastSize() throws {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<2000 {
      func number(_ range: ClosedRange<Float>) -> Float { Float.random(in: range, using: &generator) }
      let box = Box(
        x: number(-100...240), y: number(-100...180), width: number(1...200), height: number(1...200))
      var cover = FaceCover()
      cover.cells = Int(number(1...16))
      cover.margin = number(0...2)
      let size = PixelSize(width: Self.width, height: Self.height)
      guard let cells = CoverCells(of: box, cover, hasRim: true, in: size) else { continue }
      let least = max(4, max(box.width, box.height) / Float(cover.cells))
      for edges in [cells.edges.x, cells.edges.y] {
        let sides = zip(edges, edges.dropFirst()).map { $1 - $0 }
        #expect(sides.allSatisfy { Float($0) >= least } || sides.count == 1 && sides[0] > 0)
      }
    }
  }

  /// Pixelated cells have their means; blurred ones lie between them, even and grey stay so.
  @Test func cellsHaveTheirMeans() throws {
    let box = Box(x: 48, y: 32, width: 96, height: 96)
    let picture = Picture.noise(Self.width, Self.height, seed: 5)
    let exact: (inout FaceCover) -> Void = { ($0.shape, $0.margin) = (.box, 0) }
    let result = try covered(picture, [box], Self.style(.pixelated, exact))
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        guard isInside(x, y, box) else {
          #expect(result[x, y] == picture[x, y])
          continue
        }
        let (left, top) = (x / 16 * 16, y / 16 * 16)
        var (red, green, blue) = (0, 0, 0)
        for index in 0..<256 {
          let pixel = picture[left + index % 16, top + index / 16]
          (red, green, blue) = (red + Int(pixel.red), green + Int(pixel.green), blue + Int(pixel.blue))
        }
        func mean(_ sum: Int) -> UInt8 { UInt8((sum + 128) / 256) }
        #expect(result[x, y] == RGB(mean(red), mean(green), mean(blue)))
      }
    }
    let split = Picture(Self.width, Self.height) { x, _ in x < 96 ? RGB(20, 20, 20) : RGB(220, 220, 220) }
    let blurred = try covered(split, [box], Self.style(.blurred, exact))
    let line = (48..<144).map { blurred[$0, 80] }
    #expect(line.allSatisfy { $0.red == $0.green && $0.green == $0.blue && (20...220).contains($0.red) })
    #expect(zip(line, line.dropFirst()).allSatisfy { $0.red <= $1.red })
    #expect(
      line[0] == RGB(20, 20, 20) && line[95] == RGB(220, 220, 220) && (110...130).contains(line[48].red))
  }

  @Test func boxesWithoutAPlaceAreLeftOut() throws {
    let picture = Picture.noise(60, 50, seed: 1)
    let odd: [Float] = [.nan, .infinity, -.infinity, 3e38]
    let boxes =
      odd.flatMap { [Box(x: $0, y: 9, width: 9, height: 9), Box(x: 9, y: 9, width: 9, height: $0)] }
      + [
        Box(x: 9, y: 9, width: 0, height: 9), Box(x: 9, y: 9, width: 9, height: -9),
        Box(x: 900, y: 9, width: 9, height: 9), Box(x: 9, y: -900, width: 9, height: 9),
      ]
    #expect(try covered(picture, boxes, Self.style(.blurred)) == picture)
    // A box far larger than the picture covers it, and one without width is covered.
    for box in [
      Box(x: -9e5, y: -9e5, width: 1e6, height: 1e6), Box(x: 30, y: 20, width: 1e-30, height: 1e-30),
    ] {
      #expect(try covered(picture, [box], Self.style(.blurred)) != picture)
    }
  }

  @Test func otherMarksAreDrawnOverCovers() throws {
    let picture = Picture.noise(Self.width, Self.height, seed: 6)
    var style = Self.style([.pixelated, .boxes])
    (style.antialias, style.boxColour) = (false, Colour(red: 1, green: 0, blue: 0))
    let boxes = [Box(x: 60, y: 50, width: 60, height: 70), Box(x: 100, y: 70, width: 50, height: 60)]
    let result = try covered(picture, boxes, style)
    for box in boxes { #expect(result[Int(box.x), Int(box.y) + 30] == RGB(255, 0, 0)) }
  }

  /// Alpha is averaged too: it would show the outline of a face that was cut out.
  @Test(arguments: [FaceStyle.Marks.blurred, .pixelated]) func alphaHasNoDetailEither(marks: FaceStyle.Marks)
    throws
  {
    let file = try Fixture.image("rgba.png")
    let canvas = try file.borrowed { bytes throws(Status) in
      try Canvas(on: try PictureCopy(of: ImageInput(.encoded(bytes))))
    }
    let before = try file.borrowed { bytes throws(Status) in
      try TransparentPicture(ImageInput(.encoded(bytes))).bitmap.bytes()
    }
    #expect(canvas.isTransparent == true)
    let box = Box(x: 0, y: 0, width: Float(canvas.size.width), height: Float(canvas.size.height))
    canvas.cover([box], style: Self.style(marks) { ($0.cells, $0.shape) = (1, .box) })
    let after = try canvas.file(.png).borrowed { bytes throws(Status) in
      try TransparentPicture(ImageInput(.encoded(bytes))).bitmap.bytes()
    }
    let alphas = stride(from: 3, to: after.count, by: 4)
    let mean = alphas.reduce(0) { $0 + Int(before[$1]) } / alphas.underestimatedCount
    #expect(Set(alphas.map { before[$0] }).count > 1)
    #expect(Set(alphas.map { after[$0] }).count == 1 && abs(Int(after[3]) - mean) <= 1)
  }

  @Test func impossibleCoversAreRefused() {
    let wrong: [(inout FaceCover) -> Void] = [
      { $0.cells = 0 }, { $0.cells = 17 }, { $0.margin = -0.1 }, { $0.margin = 2.1 }, { $0.margin = .nan },
    ]
    for change in wrong { expectFailure(.invalidArgument) { try Self.style(.blurred, change).validate() } }
  }
}
