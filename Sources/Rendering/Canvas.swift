import CCairo
public import FaceCore
public import Imaging

/// A picture to draw on, through Cairo. Positions are pixels from the top-left corner.
public struct Canvas: ~Copyable {
  private let surface: OpaquePointer
  private let context: OpaquePointer
  public let size: PixelSize

  /// A copy of `bitmap`. Throws `resourceExhausted` when there is no memory for it.
  public init(_ bitmap: borrowing Bitmap) throws(Status) {
    size = bitmap.size
    // Cairo's RGB24 is blue, green, red, unused in memory on a little-endian machine: the bitmap's own form.
    let created = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height))
    guard let surface = created, cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
      let pixels = cairo_image_surface_get_data(surface), let source = bitmap.pixels.baseAddress,
      let context = cairo_create(surface)
    else {
      throw Status(
        .resourceExhausted, "no memory for a picture of \(bitmap.size.width)×\(bitmap.size.height)")
    }
    let stride = Int(cairo_image_surface_get_stride(surface))
    for row in 0..<size.height {
      (pixels + row * stride).update(from: source + row * bitmap.stride, count: bitmap.stride)
    }
    cairo_surface_mark_dirty(surface)
    self.surface = surface
    self.context = context
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  public func strokeRectangle(_ box: Box, width: Float, colour: Colour) {
    use(colour)
    cairo_set_line_width(context, Double(width))
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    cairo_rectangle(context, Double(box.x), Double(box.y), Double(box.width), Double(box.height))
    cairo_stroke(context)
  }

  public func fillCircle(centre: Point, diameter: Float, colour: Colour) {
    use(colour)
    cairo_new_path(context)
    cairo_arc(context, Double(centre.x), Double(centre.y), Double(diameter / 2), 0, 2 * Double.pi)
    cairo_fill(context)
  }

  /// Lets `body` read the picture, as BGRA.
  public func withView<Value>(_ body: (ImageView) throws(Status) -> Value) throws(Status) -> Value {
    cairo_surface_flush(surface)
    let stride = Int(cairo_image_surface_get_stride(surface))
    let pixels = UnsafeRawBufferPointer(
      start: cairo_image_surface_get_data(surface), count: stride * size.height)
    return try body(
      try ImageView(
        format: .bgra, width: size.width, height: size.height, stride: stride, bytes: pixels))
  }

  /// The picture as a PNG file.
  public func png() throws(Status) -> [UInt8] {
    var file: [UInt8] = []
    let result = withUnsafeMutablePointer(to: &file) { file in
      cairo_surface_write_to_png_stream(
        surface,
        { file, bytes, count in
          let target = file?.assumingMemoryBound(to: [UInt8].self)
          target?.pointee.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
          return CAIRO_STATUS_SUCCESS
        }, file)
    }
    guard result == CAIRO_STATUS_SUCCESS else {
      throw Status(
        .internal,
        "the picture could not be written as PNG: \(String(cString: cairo_status_to_string(result)))")
    }
    return file
  }

  private func use(_ colour: Colour) {
    cairo_set_source_rgba(
      context, Double(colour.red), Double(colour.green), Double(colour.blue), Double(colour.alpha))
  }
}

/// Each part 0…1.
public struct Colour: Equatable, Sendable {
  public var red: Float
  public var green: Float
  public var blue: Float
  public var alpha: Float

  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public static let green = Colour(red: 0.20, green: 0.90, blue: 0.35)
  public static let yellow = Colour(red: 1.00, green: 0.85, blue: 0.20)
}
