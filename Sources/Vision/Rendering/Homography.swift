import CCairo
package import FaceCore
import Imaging

/// A perspective map from one plane to another: (x, y) becomes (x·x + y·y + origin), divided by its third
/// component.
package struct Homography {
  package var x: SIMD3<Double>
  package var y: SIMD3<Double>
  package var origin: SIMD3<Double>

  package init(x: SIMD3<Double>, y: SIMD3<Double>, origin: SIMD3<Double>) {
    (self.x, self.y, self.origin) = (x, y, origin)
  }

  /// Returns `nil` for a point that is not in front of the camera.
  package func callAsFunction(_ point: Point) -> Point? {
    let place = x * Double(point.x) + y * Double(point.y) + origin
    guard place.z > 1e-3 else { return nil }
    return Point(x: Float(place.x / place.z), y: Float(place.y / place.z))
  }

  /// Returns the mapped corners of a box, clockwise from its top left one.
  func corners(_ box: Box) -> [Point]? {
    let corners = [(box.x, box.y), (box.maxX, box.y), (box.maxX, box.maxY), (box.x, box.maxY)]
      .compactMap { self(Point(x: $0.0, y: $0.1)) }
    return corners.count == 4 ? corners : nil
  }

  /// Returns whether the box is seen from behind, as a mirror image; `nil` if a part of it is not in front of
  /// the camera.
  func turnsRound(_ box: Box) -> Bool? {
    guard let corners = corners(box) else { return nil }
    return Homography.area(corners) < 0
  }

  static func area(_ corners: [Point]) -> Float {
    let next = corners.dropFirst() + corners.prefix(1)
    return zip(corners, next).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y } / 2
  }

  /// The inverse map, up to a factor; `nil` for a singular map.
  var inverse: Homography? {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let rows = [cross(y, origin), cross(origin, x), cross(x, y)]
    let determinant = (x * rows[0]).sum()
    guard determinant.isFinite, determinant != 0 else { return nil }
    func column(_ index: Int) -> SIMD3<Double> {
      SIMD3(rows[0][index], rows[1][index], rows[2][index]) / determinant
    }
    return Homography(x: column(0), y: column(1), origin: column(2))
  }
}

extension Canvas {
  /// Draws the part of a picture in perspective. Nothing is drawn if the result has no area. Throws
  /// `resourceExhausted` if there is no memory for it.
  func drawImage(
    _ picture: borrowing TransparentPicture, part: Box, toCanvas map: Homography
  ) throws(Status) {
    guard let corners = map.corners(part),
      corners.allSatisfy({ Canvas.isDrawable($0.x, $0.y) })
    else { return }
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    let left = max(Int((xs.min() ?? 0).rounded(.down)), 0)
    let top = max(Int((ys.min() ?? 0).rounded(.down)), 0)
    let right = min(Int((xs.max() ?? 0).rounded(.up)), size.width)
    let bottom = min(Int((ys.max() ?? 0).rounded(.up)), size.height)
    let shrunk = (abs(Homography.area(corners)) / part.area).squareRoot()
    guard left < right, top < bottom, shrunk > 1e-3 else { return }
    // A picture that is reduced is averaged first, so that no pixel is skipped.
    let factor = min(1, shrunk * 1.5)
    let source = try picture.scaled(by: factor)
    defer { cairo_surface_destroy(source) }
    let target = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(right - left), Int32(bottom - top))
    defer { cairo_surface_destroy(target) }
    guard cairo_surface_status(target) == CAIRO_STATUS_SUCCESS, let read = ARGBPixels(source),
      let write = ARGBPixels(target)
    else {
      throw Status(.resourceExhausted, "no memory for an overlay of \(right - left)×\(bottom - top) pixels")
    }
    let stepX = Double(read.width) / Double(picture.bitmap.size.width)
    let stepY = Double(read.height) / Double(picture.bitmap.size.height)
    guard let back = Homography(x: map.x / stepX, y: map.y / stepY, origin: map.origin).inverse else {
      return
    }
    let limits = SIMD4(
      Double(part.x) * stepX, Double(part.y) * stepY, Double(part.maxX) * stepX, Double(part.maxY) * stepY)
    cairo_surface_flush(source)
    for row in 0..<write.height {
      for column in 0..<write.width {
        var sum = SIMD4<Float>.zero
        for sample in Canvas.samples {
          let (x, y) = (Double(left + column) + sample.x, Double(top + row) + sample.y)
          let place = back.x * x + back.y * y + back.origin
          let (u, v) = (place.x / place.z, place.y / place.z)
          guard u >= limits.x, v >= limits.y, u < limits.z, v < limits.w else { continue }
          sum += read.interpolated(u - 0.5, v - 0.5)
        }
        if sum.w > 0 { write[column, row] = sum / Float(Canvas.samples.count) }
      }
    }
    cairo_surface_mark_dirty(target)
    cairo_set_source_surface(context, target, Double(left), Double(top))
    cairo_paint(context)
  }

  /// The sample positions in a pixel: a rotated grid of four.
  private static let samples: [SIMD2<Double>] = [
    SIMD2(0.375, 0.125), SIMD2(0.875, 0.375), SIMD2(0.125, 0.625), SIMD2(0.625, 0.875),
  ]
}

extension TransparentPicture {
  /// Returns a copy scaled by `factor`, at most 1, which the caller destroys.
  fileprivate func scaled(by factor: Float) throws(Status) -> OpaquePointer? {
    let size = bitmap.size.scaled(by: factor)
    let target = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
    let context = cairo_create(target)
    defer { cairo_destroy(context) }
    let source = cairo_image_surface_create_for_data(
      bitmap.pixels.baseAddress, CAIRO_FORMAT_ARGB32, Int32(bitmap.size.width), Int32(bitmap.size.height),
      Int32(bitmap.stride))
    defer { cairo_surface_destroy(source) }
    cairo_scale(
      context, Double(size.width) / Double(bitmap.size.width),
      Double(size.height) / Double(bitmap.size.height))
    cairo_set_source_surface(context, source, 0, 0)
    cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
    cairo_paint(context)
    guard cairo_status(context) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(target)
      throw Status(.resourceExhausted, "no memory for an overlay of \(size.width)×\(size.height) pixels")
    }
    return target
  }
}

/// The pixels of an image surface: blue, green, red and alpha, 0…255, multiplied by alpha.
private struct ARGBPixels {
  let width: Int
  let height: Int
  private let stride: Int
  private let bytes: UnsafeMutablePointer<UInt8>

  init?(_ surface: OpaquePointer?) {
    guard let bytes = cairo_image_surface_get_data(surface) else { return nil }
    self.bytes = bytes
    width = Int(cairo_image_surface_get_width(surface))
    height = Int(cairo_image_surface_get_height(surface))
    stride = Int(cairo_image_surface_get_stride(surface))
  }

  subscript(x: Int, y: Int) -> SIMD4<Float> {
    get {
      let pixel = bytes + y * stride + 4 * x
      return SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), Float(pixel[3]))
    }
    nonmutating set {
      let pixel = bytes + y * stride + 4 * x
      for part in 0..<4 { pixel[part] = UInt8(max(0, min(255, newValue[part].rounded()))) }
    }
  }

  /// Returns the bilinear interpolation of four pixels; beyond the edge the last pixels are repeated.
  func interpolated(_ x: Double, _ y: Double) -> SIMD4<Float> {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (across, down) = (Float(x - left), Float(y - top))
    let (x0, y0) = (min(max(Int(left), 0), width - 1), min(max(Int(top), 0), height - 1))
    let (x1, y1) = (min(max(Int(left) + 1, 0), width - 1), min(max(Int(top) + 1, 0), height - 1))
    let upper = self[x0, y0] * (1 - across) + self[x1, y0] * across
    let lower = self[x0, y1] * (1 - across) + self[x1, y1] * across
    return upper * (1 - down) + lower * down
  }
}
