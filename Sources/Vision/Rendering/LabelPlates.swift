import FaceCore

extension Canvas {
  /// Writes the captions on plates in the faces' colours, as far as there is room.
  func drawPlates(_ faces: [Face], _ captions: [Caption], _ styles: [FaceStyle]) {
    let drawn = faces.indices.filter { !captions[$0].lines.isEmpty && styles[$0].textSize > 0 }
    guard !drawn.isEmpty else { return }
    // Only as many are laid out as can be placed.
    let chosen = drawn.sorted { faces[$0].confidence > faces[$1].confidence }.prefix(LabelLayout.maxLabels)
    let others = Set(faces.indices).subtracting(chosen).sorted().map { faces[$0].box }.filter(\.isValid)
    let plates = chosen.map { Plate(captions[$0].lines, styles[$0], on: self) }
    let places = LabelLayout.place(
      zip(chosen, plates).map { index, plate in
        LabelLayout.Label(
          box: faces[index].box, confidence: faces[index].confidence, width: plate.width,
          height: plate.height,
          gap: styles[index].boxWidth / 2 + 1)
      }, others: others, in: size)
    for (plate, place) in zip(plates, places) {
      if let place { plate.draw(at: place, on: self) }
    }
  }
}

/// A rounded plate with lines of text.
private final class Plate {
  let width: Float
  let height: Float
  private let lines: [String]
  private let style: FaceStyle

  init(_ lines: [String], _ style: FaceStyle, on canvas: borrowing Canvas) {
    (self.lines, self.style) = (lines, style)
    var (widest, high): (Float, Float) = (0, 0)
    for line in lines {
      let text = TextLine(line, size: style.textSize, font: style.font, on: canvas.context)
      widest = max(widest, text.width)
      high += text.ascent + text.descent
    }
    width = widest + style.textSize * 0.6
    height = high + style.textSize * 0.2
  }

  func draw(at place: Box, on canvas: borrowing Canvas) {
    let ground = style.boxColour
    canvas.fillRoundedRectangle(place, radius: style.textSize * 0.25, colour: ground.withAlpha(0.9))
    var top = place.y + style.textSize * 0.1
    for line in lines {
      let text = TextLine(line, size: style.textSize, font: style.font, on: canvas.context)
      text.draw(
        at: Point(x: place.x + style.textSize * 0.3, y: top + text.ascent), colour: ground.contrasting)
      top += text.ascent + text.descent
    }
  }
}
