import CYUV
public import FaceCore

/// Converts colours, scales and rotates through libyuv, whose "ARGB" is blue, green, red, alpha in memory.
///
/// Functions with a token check it every few milliseconds, and throw its error.
public enum PixelConverter {
  /// Returns a copy of `view` in the engine's own pixel format, as stored (not rotated).
  public static func bitmap(
    from view: ImageView, _ token: CancellationToken? = nil
  ) throws(Status) -> Bitmap {
    let target = try Bitmap(size: view.size)
    guard let pixels = target.pixels.baseAddress else { throw empty }
    let stride = target.stride
    try WorkPacer.forRows(view.size.height, width: view.size.width, token) { (rows) throws(Status) in
      let part = PixelRect(x: 0, y: rows.lowerBound, width: view.size.width, height: rows.count)
      try convert(view.window(part), into: pixels + rows.lowerBound * stride, stride: stride)
    }
    return target
  }

  /// Returns a copy of `view` in the engine's own pixel format, scaled to `size`, whose sides are not above
  /// the view's.
  package static func bitmap(
    from view: ImageView, scaledTo size: PixelSize, _ token: CancellationToken? = nil
  ) throws(Status) -> Bitmap {
    if size == view.size { return try bitmap(from: view, token) }
    let target = try Bitmap(size: size)
    try RowScaler(view, to: size).scale(into: target, token)
    return target
  }

  /// Returns `view`, of BGRA pixels, bilinearly enlarged.
  /// - Parameter scale: 1 or more.
  package static func enlarged(
    _ view: ImageView, by scale: Float, _ token: CancellationToken? = nil
  ) throws(Status) -> Bitmap {
    let target = try Bitmap(size: view.size.scaled(by: scale))
    guard let source = view.bytes.bindMemory(to: UInt8.self).baseAddress, view.format == .bgra else {
      throw empty
    }
    try BilinearSampler(source: source, stride: view.stride, size: view.size).sample(
      into: target,
      toSource: AffineMap(
        scaleX: Double(view.size.width) / Double(target.size.width),
        scaleY: Double(view.size.height) / Double(target.size.height)), token)
    return target
  }

  /// Converts the pixels of `view` to BGRA.
  /// - Parameter target: as many rows as the view's, `stride` bytes apart.
  static func convert(
    _ view: ImageView, into target: UnsafeMutablePointer<UInt8>, stride targetStride: Int
  ) throws(Status) {
    guard let source = view.bytes.bindMemory(to: UInt8.self).baseAddress else { throw empty }
    precondition(targetStride >= view.size.width * Bitmap.bytesPerPixel)
    let stride = Int32(view.stride)
    let width = Int32(view.size.width)
    let height = Int32(view.size.height)
    let rowBytes = Int32(targetStride)
    let result =
      switch view.format {
      case .rgba: ABGRToARGB(source, stride, target, rowBytes, width, height)
      case .bgra: ARGBCopy(source, stride, target, rowBytes, width, height)
      case .rgb: RAWToARGB(source, stride, target, rowBytes, width, height)
      case .bgr: RGB24ToARGB(source, stride, target, rowBytes, width, height)
      case .gray: J400ToARGB(source, stride, target, rowBytes, width, height)
      case .nv12, .nv21, .i420, .yuyv, .uyvy, .nv16:
        YUVConversion.convert(view, into: target, stride: targetStride)
      }
    try check(result, "convert \(view.format.name) pixels")
  }

  /// Writes the colours of `bitmap` to `target`, which has the same size; the target's alpha is kept.
  public static func store(_ bitmap: borrowing Bitmap, into target: PixelTarget) throws(Status) {
    guard let source = bitmap.pixels.baseAddress, let start = target.bytes.baseAddress else { throw empty }
    guard target.size == bitmap.size else {
      throw Status(.internal, "the target has another size than the pixels; please report this")
    }
    let (width, height) = (target.size.width, target.size.height)
    let first = start.assumingMemoryBound(to: UInt8.self)
    let (stride, rowBytes) = (Int32(bitmap.stride), Int32(target.stride))
    switch target.format {
    case .rgb:
      try check(ARGBToRAW(source, stride, first, rowBytes, Int32(width), Int32(height)), "store RGB pixels")
    case .bgr:
      try check(ARGBToRGB24(source, stride, first, rowBytes, Int32(width), Int32(height)), "store BGR pixels")
    case .gray:
      try check(ARGBToJ400(source, stride, first, rowBytes, Int32(width), Int32(height)), "store GRAY pixels")
    default:
      for row in 0..<height {
        storeColours(
          UnsafeRawPointer(source + row * bitmap.stride), start + row * target.stride, width,
          redFirst: target.format == .rgba)
      }
    }
  }

  /// Writes a row of four-byte pixels, in a loop that the compiler vectorises.
  private static func storeColours(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int, redFirst: Bool
  ) {
    for column in 0..<width {
      let pixel = source.loadUnaligned(fromByteOffset: 4 &* column, as: UInt32.self)
      let old = target.loadUnaligned(fromByteOffset: 4 &* column, as: UInt32.self)
      let colours =
        redFirst
        ? (pixel & 0xFF) << 16 | pixel & 0xFF00 | (pixel >> 16) & 0xFF : pixel & 0xFF_FFFF
      target.storeBytes(of: old & 0xFF00_0000 | colours, toByteOffset: 4 &* column, as: UInt32.self)
    }
  }

  /// Returns BGRA pixels rotated to be upright.
  public static func upright(
    _ bitmap: consuming Bitmap, from orientation: Orientation, _ token: CancellationToken? = nil
  ) throws(Status) -> Bitmap {
    // Each of the eight is a clockwise turn, followed by a left-right mirror for four of them.
    let (turn, mirror): (RotationMode, Bool) =
      switch orientation {
      case .up: (kRotate0, false)
      case .upMirrored: (kRotate0, true)
      case .down: (kRotate180, false)
      case .downMirrored: (kRotate180, true)
      case .leftMirrored: (kRotate90, true)
      case .right: (kRotate90, false)
      case .rightMirrored: (kRotate270, true)
      case .left: (kRotate270, false)
      }
    let turned =
      turn == kRotate0
      ? bitmap : try rotated(bitmap, turn, to: orientation.uprightSize(of: bitmap.size), token)
    return mirror ? try mirrored(turned, token) : turned
  }

  private static func rotated(
    _ bitmap: borrowing Bitmap, _ turn: RotationMode, to size: PixelSize, _ token: CancellationToken?
  ) throws(Status) -> Bitmap {
    let target = try Bitmap(size: size)
    guard let source = bitmap.pixels.baseAddress, let pixels = target.pixels.baseAddress else { throw empty }
    let (stride, targetStride, from) = (bitmap.stride, target.stride, bitmap.size)
    if turn == kRotate180 {
      try WorkPacer.forRows(from.height, width: from.width, token) { (rows) throws(Status) in
        let result = ARGBRotate(
          source + rows.lowerBound * stride, Int32(stride),
          pixels + (from.height - rows.upperBound) * targetStride, Int32(targetStride), Int32(from.width),
          Int32(rows.count), turn)
        try check(result, "turn the image")
      }
    } else {
      // By columns, which become rows: each step touches a part of the target for the first time. By rows,
      // the first step would touch all of it, and take a hundred milliseconds in which the token is not
      // checked.
      try WorkPacer.forRows(from.width, width: from.height, token) { (columns) throws(Status) in
        let row = turn == kRotate90 ? columns.lowerBound : from.width - columns.upperBound
        let result = ARGBRotate(
          source + columns.lowerBound * Bitmap.bytesPerPixel, Int32(stride), pixels + row * targetStride,
          Int32(targetStride), Int32(columns.count), Int32(from.height), turn)
        try check(result, "turn the image")
      }
    }
    return target
  }

  private static func mirrored(
    _ bitmap: borrowing Bitmap, _ token: CancellationToken?
  ) throws(Status) -> Bitmap {
    let target = try Bitmap(size: bitmap.size)
    guard let source = bitmap.pixels.baseAddress, let pixels = target.pixels.baseAddress else { throw empty }
    let (stride, size) = (bitmap.stride, bitmap.size)
    try WorkPacer.forRows(size.height, width: size.width, token) { (rows) throws(Status) in
      let start = rows.lowerBound * stride
      let result = ARGBMirror(
        source + start, Int32(stride), pixels + start, Int32(stride), Int32(size.width), Int32(rows.count))
      try check(result, "mirror the image")
    }
    return target
  }

  /// Returns the bytes that `writeI420` fills for an image of `size`.
  public static func i420ByteCount(_ size: PixelSize) -> Int {
    (0..<PixelFormat.i420.planeCount).reduce(0) { sum, plane in
      sum + PixelFormat.i420.rowBytes(plane: plane, width: size.width)
        * PixelFormat.i420.rows(plane: plane, height: size.height)
    }
  }

  /// Converts BGRA pixels to I420 without gaps, by BT.601 in the video range.
  /// - Parameters:
  ///   - view: BGRA; anything else throws `invalidArgument`, and so does a target that is too small.
  ///   - target: `i420ByteCount` bytes, or more.
  public static func writeI420(
    _ view: ImageView, into target: UnsafeMutableRawBufferPointer
  ) throws(Status) {
    guard view.format == .bgra, target.count >= i420ByteCount(view.size),
      let luma = target.bindMemory(to: UInt8.self).baseAddress,
      let source = view.bytes.bindMemory(to: UInt8.self).baseAddress
    else {
      throw Status(.invalidArgument, "I420 needs BGRA pixels and a buffer of its size")
    }
    let (width, height) = (view.size.width, view.size.height)
    let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    let blue = luma + width * height
    let red = blue + halfWidth * halfHeight
    let result = ARGBToI420(
      source, Int32(view.stride), luma, Int32(width), blue, Int32(halfWidth), red, Int32(halfWidth),
      Int32(width), Int32(height))
    try check(result, "convert BGRA pixels to I420")
  }

  static func check(_ result: Int32, _ what: @autoclosure () -> String) throws(Status) {
    guard result == 0 else {
      throw Status(
        .internal, "libyuv could not \(what()) (code \(result)); please report this image's size and format")
    }
  }

  private static var empty: Status {
    Status(.internal, "an image has no pixels; please report this image's size and format")
  }
}
