import CCairo
public import FaceCore

extension Canvas {
  /// How a text is aligned to its position.
  public enum TextAnchor: UInt8, Sendable, CaseIterable {
    /// The text begins at its position.
    case left = 0
    case middle = 1
    case right = 2
  }

  /// Draws a line of text with a dark outline, legible on any background.
  /// - Parameters:
  ///   - place: on the base line.
  ///   - font: as in `FaceStyle.font`. Neither it nor the text may contain NUL.
  public func drawText(
    _ text: String, at place: Point, size: Float, anchor: TextAnchor = .left, colour: Colour, font: String
  ) {
    guard Canvas.isDrawable(place.x, place.y), size > 0, size <= 1000 else { return }
    cairo_select_font_face(context, font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_font_size(context, Double(size))
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, text, &extents)
    let shift: Double =
      switch anchor {
      case .left: 0
      case .middle: extents.x_advance / 2
      case .right: extents.x_advance
      }
    cairo_new_path(context)
    cairo_move_to(context, Double(place.x) - shift, Double(place.y))
    cairo_text_path(context, text)
    setColour(Colour(red: 0, green: 0, blue: 0, alpha: colour.alpha * 0.8))
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    cairo_set_line_width(context, Double(size) / 6)
    cairo_stroke_preserve(context)
    setColour(colour)
    cairo_fill(context)
  }
}
