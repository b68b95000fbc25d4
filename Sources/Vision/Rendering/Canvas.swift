import CCairo
public import FaceCore
public import Imaging

/// A picture to draw on with Cairo. Positions are pixels from the top-left corner. Shapes without finite
/// positions are skipped.
public struct Canvas: ~Copyable {
  private let bitmap: Bitmap
  /// Whether colours are multiplied by alpha; else the fourth byte of a pixel is unused.
  public let isTransparent: Bool
  private let metadata: PictureMetadata
  private let surface: OpaquePointer
  let context: OpaquePointer
  public let size: PixelSize

  /// Draws on a copy of `bitmap`. Throws `resourceExhausted` if there is no memory for it.
  public init(_ bitmap: borrowing Bitmap) throws(Status) {
    try self.init(on: try Canvas.copy(bitmap))
  }

  private static func copy(_ bitmap: borrowing Bitmap) throws(Status) -> Bitmap {
    let copy = try Bitmap(size: bitmap.size)
    if let source = bitmap.pixels.baseAddress {
      copy.pixels.baseAddress?.update(from: source, count: bitmap.pixels.count)
    }
    return copy
  }

  /// Draws on `bitmap` itself. Throws `resourceExhausted` if there is no memory for Cairo's state,
  /// `failedPrecondition` if Cairo is loaded on demand and is missing.
  public init(on bitmap: consuming Bitmap) throws(Status) {
    try self.init(on: bitmap, isTransparent: false, PictureMetadata())
  }

  /// Draws on the pixels of `picture`. The files of this canvas have its transparency and its metadata. Throws as
  /// `init(on:)`.
  public init(on picture: consuming PictureCopy) throws(Status) {
    let (isTransparent, metadata) = (picture.isTransparent, picture.metadata)
    try self.init(on: picture.intoBitmap(), isTransparent: isTransparent, metadata)
  }

  private init(
    on bitmap: consuming Bitmap, isTransparent: Bool, _ metadata: PictureMetadata
  ) throws(Status) {
    size = bitmap.size
    // Cairo's RGB24 is blue, green, red, unused in memory on a little-endian machine: the bitmap's own
    // format.
    let created = cairo_image_surface_create_for_data(
      bitmap.pixels.baseAddress, isTransparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
      Int32(bitmap.size.width), Int32(bitmap.size.height),
      Int32(bitmap.stride))
    guard let surface = created else {
      throw Status(.failedPrecondition, "libcairo.so.2 cannot be loaded; install libcairo2 to draw")
    }
    guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface)
    else {
      throw Status(
        .resourceExhausted, "no memory to draw on a picture of \(bitmap.size.width)×\(bitmap.size.height)")
    }
    self.surface = surface
    self.context = context
    self.bitmap = bitmap
    self.isTransparent = isTransparent
    self.metadata = metadata
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  /// Passes the picture, on white if it is transparent, to `body`, which must not change it.
  public func withBitmap<Result>(
    _ body: (borrowing Bitmap) throws(Status) -> Result
  ) throws(Status) -> Result {
    cairo_surface_flush(surface)
    if isTransparent { return try body(try beforeWhite()) }
    return try body(bitmap)
  }

  /// Returns a copy of a transparent picture on a white background.
  public func beforeWhite() throws(Status) -> Bitmap {
    cairo_surface_flush(surface)
    return try bitmap.beforeWhite()
  }

  /// Passes the picture to `body` as BGRA pixels.
  public func withView<Value>(_ body: (ImageView) throws(Status) -> Value) throws(Status) -> Value {
    try withBitmap { (bitmap) throws(Status) in try body(try bitmap.view) }
  }

  /// Passes the pixels to `body`, which changes them without Cairo.
  func withPixels(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    cairo_surface_flush(surface)
    body(bitmap.pixels)
    cairo_surface_mark_dirty(surface)
  }

  /// Turns smooth edges on or off for what is drawn next.
  public func setAntialias(_ smooth: Bool) {
    cairo_set_antialias(context, smooth ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE)
  }

  public func strokeRectangle(_ box: Box, width: Float, colour: Colour) {
    guard Canvas.isDrawable(box.x, box.y, box.width, box.height) else { return }
    cairo_new_path(context)
    cairo_rectangle(context, Double(box.x), Double(box.y), Double(box.width), Double(box.height))
    stroke(width: width, colour)
  }

  /// Draws lines from point to point, and back to the first one if `closed`.
  public func strokeLines(_ points: [Point], closed: Bool, width: Float, colour: Colour) {
    guard points.allSatisfy({ Canvas.isDrawable($0.x, $0.y) }) else { return }
    cairo_new_path(context)
    for point in points { cairo_line_to(context, Double(point.x), Double(point.y)) }
    if closed { cairo_close_path(context) }
    stroke(width: width, colour)
  }

  /// Draws lines from point to point of each path in one stroke: where they meet, the colour is not applied
  /// twice.
  func strokePaths(_ paths: [(points: [Point], isClosed: Bool)], width: Float, colour: Colour) {
    cairo_new_path(context)
    for path in paths where path.points.allSatisfy({ Canvas.isDrawable($0.x, $0.y) }) {
      cairo_new_sub_path(context)
      for point in path.points { cairo_line_to(context, Double(point.x), Double(point.y)) }
      if path.isClosed { cairo_close_path(context) }
    }
    stroke(width: width, colour)
  }

  /// Draws the ellipse that has these two pairs of opposite ends.
  func strokeEllipse(ends: (Point, Point), _ others: (Point, Point), width: Float, colour: Colour) {
    let points = [ends.0, ends.1, others.0, others.1]
    guard points.allSatisfy({ Canvas.isDrawable($0.x, $0.y) }) else { return }
    let x = points.reduce(0) { $0 + Double($1.x) } / 4
    let y = points.reduce(0) { $0 + Double($1.y) } / 4
    var matrix = cairo_matrix_t(
      xx: Double(ends.0.x - ends.1.x) / 2, yx: Double(ends.0.y - ends.1.y) / 2,
      xy: Double(others.0.x - others.1.x) / 2, yy: Double(others.0.y - others.1.y) / 2, x0: x, y0: y)
    // A singular matrix would put the context into an error state.
    guard abs(matrix.xx * matrix.yy - matrix.xy * matrix.yx) > 1e-6 else { return }
    cairo_new_path(context)
    cairo_save(context)
    cairo_transform(context, &matrix)
    cairo_arc(context, 0, 0, 1, 0, 2 * Double.pi)
    cairo_restore(context)
    stroke(width: width, colour)
  }

  func fillPolygon(_ points: [Point], colour: Colour) {
    guard points.allSatisfy({ Canvas.isDrawable($0.x, $0.y) }) else { return }
    setColour(colour)
    cairo_new_path(context)
    for point in points { cairo_line_to(context, Double(point.x), Double(point.y)) }
    cairo_fill(context)
  }

  func fillRoundedRectangle(_ box: Box, radius: Float, colour: Colour) {
    guard Canvas.isDrawable(box.x, box.y, box.width, box.height) else { return }
    setColour(colour)
    cairo_new_path(context)
    let radius = min(radius, box.width / 2, box.height / 2)
    let centres = [
      (box.maxX - radius, box.y + radius), (box.maxX - radius, box.maxY - radius),
      (box.x + radius, box.maxY - radius), (box.x + radius, box.y + radius),
    ]
    for (corner, centre) in centres.enumerated() {
      let start = Double(corner - 1) * Double.pi / 2
      cairo_arc(context, Double(centre.0), Double(centre.1), Double(radius), start, start + Double.pi / 2)
    }
    cairo_fill(context)
  }

  public func fillCircle(centre: Point, diameter: Float, colour: Colour) {
    guard Canvas.isDrawable(centre.x, centre.y, diameter) else { return }
    setColour(colour)
    cairo_new_path(context)
    cairo_arc(context, Double(centre.x), Double(centre.y), Double(diameter / 2), 0, 2 * Double.pi)
    cairo_fill(context)
  }

  public func strokeCircle(_ circle: Circle, width: Float, colour: Colour) {
    guard Canvas.isDrawable(circle.center.x, circle.center.y, circle.radius) else { return }
    cairo_new_path(context)
    addArc(circle)
    stroke(width: width, colour)
  }

  /// Fills the whole picture except a circle.
  public func fillOutside(_ circle: Circle, colour: Colour) {
    guard Canvas.isDrawable(circle.center.x, circle.center.y, circle.radius) else { return }
    setColour(colour)
    cairo_new_path(context)
    cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
    cairo_new_sub_path(context)
    addArc(circle)
    cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
    cairo_fill(context)
    cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING)
  }

  public func fillRectangle(_ box: Box, colour: Colour) {
    guard Canvas.isDrawable(box.x, box.y, box.width, box.height) else { return }
    setColour(colour)
    cairo_new_path(context)
    cairo_rectangle(context, Double(box.x), Double(box.y), Double(box.width), Double(box.height))
    cairo_fill(context)
  }

  /// Draws `picture`, scaled to fill `box`.
  public func drawImage(_ picture: borrowing TransparentPicture, in box: Box) {
    let size = picture.bitmap.size
    drawImage(
      picture,
      toCanvas: AffineMap(
        scaleX: Double(box.width) / Double(size.width), scaleY: Double(box.height) / Double(size.height),
        dx: Double(box.x), dy: Double(box.y)))
  }

  /// Draws `picture`.
  /// - Parameter map: maps its positions to the canvas. Nothing is drawn if the result has no area.
  public func drawImage(_ picture: borrowing TransparentPicture, toCanvas map: AffineMap) {
    let numbers = [map.xx, map.xy, map.dx, map.yx, map.yy, map.dy]
    guard numbers.allSatisfy({ $0.magnitude <= Double(Canvas.maxPosition) }), map.areaScale > 1e-6 else {
      return
    }
    let size = picture.bitmap.size
    let source = cairo_image_surface_create_for_data(
      picture.bitmap.pixels.baseAddress, CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height),
      Int32(picture.bitmap.stride))
    defer { cairo_surface_destroy(source) }
    guard cairo_surface_status(source) == CAIRO_STATUS_SUCCESS else { return }
    cairo_save(context)
    defer { cairo_restore(context) }
    var matrix = cairo_matrix_t(xx: map.xx, yx: map.yx, xy: map.xy, yy: map.yy, x0: map.dx, y0: map.dy)
    cairo_set_matrix(context, &matrix)
    cairo_set_source_surface(context, source, 0, 0)
    // Averages the pixels that become one, instead of picking one of them.
    cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
    cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
    cairo_fill(context)
  }

  /// Throws if Cairo could not draw something: it then ignores all that comes after. cairo_status
  public func checkDrawn() throws(Status) {
    let status = cairo_status(context)
    guard status != CAIRO_STATUS_SUCCESS else { return }
    throw Status(
      status == CAIRO_STATUS_NO_MEMORY ? .resourceExhausted : .internal,
      "Cairo could not draw (\(String(cString: cairo_status_to_string(status)))); make the picture again")
  }

  /// Passes the picture to `encode`, with its transparency: colours are not multiplied by alpha.
  func file(
    _ encode: (borrowing Bitmap, _ hasAlpha: Bool, PictureMetadata) throws(Status) -> [UInt8]
  ) throws(Status) -> [UInt8] {
    cairo_surface_flush(surface)
    guard isTransparent else { return try encode(bitmap, false, metadata) }
    return try encode(try bitmap.dividedByAlpha(), true, metadata)
  }

  func setColour(_ colour: Colour) {
    cairo_set_source_rgba(
      context, Double(colour.red), Double(colour.green), Double(colour.blue), Double(colour.alpha))
  }

  private func addArc(_ circle: Circle) {
    cairo_arc(
      context, Double(circle.center.x), Double(circle.center.y), Double(max(circle.radius, 0)), 0,
      2 * Double.pi)
    cairo_close_path(context)
  }

  private func stroke(width: Float, _ colour: Colour) {
    setColour(colour)
    cairo_set_line_width(context, Double(width))
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    cairo_stroke(context)
  }

  /// Cairo stores positions in 32 bits, in units of 1/256 pixel.
  private static let maxPosition: Float = 1_000_000

  /// Whether Cairo can handle these positions: finite, and within the range of its numbers.
  static func isDrawable(_ numbers: Float...) -> Bool { numbers.allSatisfy { $0.magnitude <= maxPosition } }
}
