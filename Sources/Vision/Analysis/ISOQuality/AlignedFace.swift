import FaceCore
import Imaging

import func Glibc.powf

/// The landmarked region of a face, upright and at the scale at which ISO/IEC 29794-5:2025 measures
/// brightness and colour: a similarity brings eyes, nose and corners of the mouth as near as possible to
/// fixed places in 616 × 616 pixels.
///
/// The region is the convex hull of the contour and the eyebrows; everything outside it is black. Where the
/// face is cut off by the picture's edge, the picture's last pixels are repeated.
struct AlignedFace {
  /// The part of the 616 × 616 pixels that contains the region.
  private let frame: PixelRect
  /// The pixels of `frame`: red, green and blue.
  private var colours: [SIMD3<UInt8>]
  /// The number of pixels in the region for each luminance, 0…255.
  let luminances: [Int]
  let pixelCount: Int
  private let geometry: FaceGeometry

  private static let side = 616
  /// The places of the right and left eye, the tip of the nose, and the right and left corner of the mouth.
  private static let places = [
    Point(x: 251, y: 272), Point(x: 364, y: 272), Point(x: 308, y: 336), Point(x: 262, y: 402),
    Point(x: 355, y: 402),
  ]

  /// `nil` when the points have no extent, or no part of the region lies in the 616 × 616 pixels.
  init?(_ points: [Point], in picture: UprightImage) throws(Status) {
    let seen = FaceGeometry(points)
    let from = [
      seen.rightEye, seen.leftEye, points[Landmarks.noseTip], points[Landmarks.mouthRight],
      points[Landmarks.mouthLeft],
    ]
    guard let toAligned = AffineMap.similarity(from: from, to: AlignedFace.places) else { return nil }
    let aligned = points.map { toAligned($0) }
    geometry = FaceGeometry(aligned)
    let outline =
      LandmarkRegion.faceContour.indices + LandmarkRegion.leftEyebrow.indices
      + LandmarkRegion.rightEyebrow.indices
    let hull = ConvexHull(outline.map { aligned[$0] })
    guard let frame = AlignedFace.frame(around: outline.map { aligned[$0] }) else { return nil }
    self.frame = frame
    let size = PixelSize(width: frame.width, height: frame.height)
    let crop = try picture.crop(
      size, toImage: AffineMap(dx: Double(frame.x), dy: Double(frame.y)).then(toAligned.inverse))
    let pixels = crop.pixels
    defer { extendLifetime(crop) }
    var colours = [SIMD3<UInt8>](repeating: .zero, count: size.width * size.height)
    var luminances = [Int](repeating: 0, count: 256)
    var pixelCount = 0
    for row in 0..<size.height {
      guard let span = hull.span(y: Float(frame.y + row) + 0.5) else { continue }
      let first = max(0, Int((span.lowerBound - Float(frame.x)).rounded()))
      let end = min(size.width, Int((span.upperBound - Float(frame.x)).rounded()))
      let start = row * size.width
      for column in start + first..<start + max(first, end) {
        let pixel = column &* Bitmap.bytesPerPixel
        let colour = SIMD3(pixels[pixel &+ 2], pixels[pixel &+ 1], pixels[pixel])
        colours[column] = colour
        luminances[Luminance.of(colour)] &+= 1
      }
      pixelCount += max(0, end - first)
    }
    guard pixelCount > 0 else { return nil }
    (self.colours, self.luminances, self.pixelCount) = (colours, luminances, pixelCount)
  }

  var isColoured: Bool { colours.contains { $0.x != $0.y || $0.y != $0.z } }

  /// Returns the pixels of the squares below the eyes, halfway to the mouth, with sides of 0.3 of the
  /// distance between the eyes: on the right cheek inwards from the middle of the eye, and symmetrically on
  /// the left.
  func cheeks() -> (right: [SIMD3<UInt8>], left: [SIMD3<UInt8>]) {
    let side = Int(geometry.betweenEyes * 0.3)
    let below = geometry.eyesMiddle.distance(to: geometry.mouth) / 2
    return (
      square(x: Int(geometry.rightEye.x.rounded()), y: Int((geometry.rightEye.y + below).rounded()), side),
      square(
        x: Int(geometry.leftEye.x.rounded()) - side, y: Int((geometry.leftEye.y + below).rounded()), side)
    )
  }

  /// Returns the pixels of a square, black outside the region.
  private func square(x: Int, y: Int, _ side: Int) -> [SIMD3<UInt8>] {
    (0..<side * side).map { index in
      let (row, column) = (y - frame.y + index / side, x - frame.x + index % side)
      let isInside = (0..<frame.height).contains(row) && (0..<frame.width).contains(column)
      return isInside ? colours[row * frame.width + column] : .zero
    }
  }

  /// Returns the bounds of the points in whole pixels, at least as large as the smallest crop.
  private static func frame(around points: [Point]) -> PixelRect? {
    func range(_ values: [Float]) -> Range<Int>? {
      guard let least = values.min(), let most = values.max(), least.isFinite, most.isFinite,
        most > 0, least < Float(side)
      else { return nil }
      let first = min(max(0, Int(max(least, 0))), side - ImageLimits.minSide)
      return first..<max(first + ImageLimits.minSide, min(side, Int(min(most, Float(side))) + 1))
    }
    guard let x = range(points.map(\.x)), let y = range(points.map(\.y)) else { return nil }
    return PixelRect(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
  }
}

/// The luminance of sRGB pixels: Y of CIE 1931, 0…255. Source: IEC 61966-2-1.
enum Luminance {
  static func of(_ colour: SIMD3<UInt8>) -> Int {
    let y = shares.red[Int(colour.x)] + shares.green[Int(colour.y)] + shares.blue[Int(colour.z)]
    return Int(y * 255 + 0.5)
  }

  /// The part of Y of each value of a channel.
  private static let shares = (red: shares(0.2126), green: shares(0.7152), blue: shares(0.0722))

  private static func shares(_ weight: Float) -> [Float] {
    (0..<256).map { Luminance.linear(Float($0) / 255) * weight }
  }

  /// - Parameter value: of one channel, 0…1.
  static func linear(_ value: Float) -> Float {
    value > 0.04045 ? powf((value + 0.055) / 1.055, 2.4) : value / 12.92
  }
}
