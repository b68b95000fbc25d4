import CCairo
import CPangoOnDemand
public import FaceCore

import func Glibc.atexit

extension Canvas {
  /// The alignment of a text to its position.
  public enum TextAnchor: UInt8, Sendable, CaseIterable {
    /// The text begins at its position.
    case left = 0
    case middle = 1
    case right = 2
  }

  /// Draws a line of text with a dark outline, legible on any background.
  /// - Parameters:
  ///   - place: a position on the baseline.
  ///   - font: as in `FaceStyle.font`. Neither it nor the text may contain NUL.
  public func drawText(
    _ text: String, at place: Point, size: Float, anchor: TextAnchor = .left, colour: Colour, font: String
  ) {
    guard Canvas.isDrawable(place.x, place.y), size > 0, size <= 1000 else { return }
    let line = TextLine(text, size: size, font: font, on: context)
    let shift: Float =
      switch anchor {
      case .left: 0
      case .middle: line.width / 2
      case .right: line.width
      }
    line.draw(
      at: Point(x: place.x - shift, y: place.y), colour: colour,
      outline: Colour(red: 0, green: 0, blue: 0, alpha: colour.alpha * 0.8))
  }
}

/// A line of text laid out for one canvas: by Pango, which finds a font for each script, or by Cairo alone if
/// Pango is missing or the font is Cairo's own.
struct TextLine: ~Copyable {
  let width: Float
  /// The distances from the top to the baseline, and from there to the bottom.
  let ascent: Float
  let descent: Float
  private let text: String
  private let size: Float
  private let font: String
  private let context: OpaquePointer
  /// `nil` where Cairo draws the text.
  private let layout: (pango: face_pango, line: OpaquePointer)?

  /// Cairo's built-in font, which does not need to be installed.
  private static let builtInFont = "@cairo:"

  /// - Parameter size: above 0.
  init(_ text: String, size: Float, font: String, on context: OpaquePointer) {
    (self.text, self.size, self.font, self.context) = (text, size, font, context)
    guard font != TextLine.builtInFont, let pango = face_pango_load(cairo_version_string())?.pointee,
      let line = pango.create_layout(context)
    else {
      layout = nil
      TextLine.select(font, size, context)
      var (text, font) = (cairo_text_extents_t(), cairo_font_extents_t())
      cairo_text_extents(context, self.text, &text)
      cairo_font_extents(context, &font)
      (width, ascent, descent) = (Float(text.x_advance), Float(font.ascent), Float(font.descent))
      return
    }
    TextLine.freesFontsAtExit
    layout = (pango, line)
    let description = pango.font_description_new()
    pango.font_description_set_family(description, font)
    pango.font_description_set_absolute_size(description, Double(size) * Double(TextLine.unit))
    pango.layout_set_font_description(line, description)
    pango.font_description_free(description)
    pango.layout_set_single_paragraph_mode(line, 1)
    pango.layout_set_text(line, text, -1)
    var extents = face_pango_rectangle()
    pango.layout_get_extents(line, nil, &extents)
    width = Float(extents.width) / TextLine.unit
    ascent = Float(pango.layout_get_baseline(line)) / TextLine.unit
    descent = Float(extents.height) / TextLine.unit - ascent
  }

  /// Pango's units per pixel.
  private static let unit: Float = 1024

  deinit {
    if let layout { layout.pango.object_unref(UnsafeMutableRawPointer(layout.line)) }
  }

  /// - Parameter place: the position of the line's left end on its baseline.
  func draw(at place: Point, colour: Colour, outline: Colour? = nil) {
    cairo_new_path(context)
    if let outline {
      addPath(at: place)
      set(outline)
      cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
      cairo_set_line_width(context, Double(size) / 6)
      cairo_stroke_preserve(context)
    } else if layout == nil {
      addPath(at: place)
    }
    set(colour)
    guard let layout else { return cairo_fill(context) }
    // Pango's path is not used because glyphs may have colours of their own.
    cairo_new_path(context)
    cairo_move_to(context, Double(place.x), Double(place.y - ascent))
    layout.pango.show_layout(context, layout.line)
    cairo_new_path(context)
  }

  private func addPath(at place: Point) {
    if let layout {
      cairo_move_to(context, Double(place.x), Double(place.y - ascent))
      layout.pango.layout_path(context, layout.line)
    } else {
      TextLine.select(font, size, context)
      cairo_move_to(context, Double(place.x), Double(place.y))
      cairo_text_path(context, text)
    }
  }

  private func set(_ colour: Colour) {
    cairo_set_source_rgba(
      context, Double(colour.red), Double(colour.green), Double(colour.blue), Double(colour.alpha))
  }

  private static func select(_ font: String, _ size: Float, _ context: OpaquePointer) {
    cairo_select_font_face(context, font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_font_size(context, Double(size))
  }

  /// Frees fonts at exit. Pango keeps the fonts of each thread, and fontconfig its configuration, in ways
  /// that leak checkers do not follow. Both count references, so that other users of them at the end keep
  /// what they have.
  private static let freesFontsAtExit: Void = {
    _ = atexit {
      let pango = face_pango_load(cairo_version_string())?.pointee
      pango?.set_default_font_map(nil)
      _ = pango?.set_current_fonts(nil)
    }
  }()
}
