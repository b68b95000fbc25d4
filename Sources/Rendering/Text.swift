import CCairo
public import FaceCore

extension Canvas {
  /// Where a text stands from its place.
  public enum TextAnchor: UInt8, Sendable, CaseIterable {
    /// It begins there.
    case left = 0
    case middle = 1
    case right = 2
  }

  /// One line of text with a dark rim, so that it can be read on any ground.
  /// - Parameters:
  ///   - place: of its base line.
  ///   - font: as `FaceStyle.font`; may not hold NUL, nor may the text.
  public func drawText(
    _ text: String, at place: Point, size: Float, anchor: TextAnchor = .left, colour: Colour, font: String
  ) {
    guard Canvas.isPlace(place.x, place.y), size > 0, size <= 1000 else { return }
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
    use(Colour(red: 0, green: 0, blue: 0, alpha: colour.alpha * 0.8))
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    cairo_set_line_width(context, Double(size) / 6)
    cairo_stroke_preserve(context)
    use(colour)
    cairo_fill(context)
  }
}
