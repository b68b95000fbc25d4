public import FaceCore
public import Imaging

extension Picture {
  /// The pixels in memory, with `padding` bytes of 0xEE after each row but the last, and the distance between
  /// rows.
  ///
  /// Gray takes the green part.
  public func bytes(_ format: PixelFormat, padding: Int = 0) -> (bytes: [UInt8], stride: Int) {
    let stride = size.width * format.rowBytes(plane: 0, width: 1) + padding
    var bytes = [UInt8](repeating: 0xEE, count: stride * size.height - padding)
    for y in 0..<size.height {
      var place = y * stride
      for x in 0..<size.width {
        let colour = self[x, y]
        let parts: [UInt8]
        switch format {
        case .rgba: parts = [colour.red, colour.green, colour.blue, 0x7F]
        case .bgra: parts = [colour.blue, colour.green, colour.red, 0x7F]
        case .rgb: parts = [colour.red, colour.green, colour.blue]
        case .bgr: parts = [colour.blue, colour.green, colour.red]
        case .gray: parts = [colour.green]
        case .nv12, .nv21, .i420, .yuyv, .uyvy, .nv16: preconditionFailure("see YUVPicture")
        }
        for part in parts {
          bytes[place] = part
          place += 1
        }
      }
    }
    return (bytes, stride)
  }

  /// Passes `body` a view of the pixels, whose buffer ends with the last pixel.
  public func withView<Result: ~Copyable>(
    _ format: PixelFormat, padding: Int = 0, _ body: (ImageView) throws(Status) -> Result
  ) throws(Status) -> Result {
    let (bytes, stride) = bytes(format, padding: padding)
    return try bytes.withView(format, size: size, stride: stride, body)
  }

  /// Passes `body` this picture as the engine sees it, of pixels that are stored with this orientation.
  public func withUpright<Result: ~Copyable>(
    _ format: PixelFormat = .bgra, padding: Int = 0, as orientation: Orientation = .up,
    willCrop: Bool = false,
    _ body: (UprightImage) throws(Status) -> Result
  ) throws(Status) -> Result {
    try (orientation == .up ? self : stored(orientation)).withView(format, padding: padding) {
      view throws(Status) in
      try body(try UprightImage(ImageInput(.pixels(view), orientation: orientation), willCrop: willCrop))
    }
  }

  /// The pixels in the engine's own form.
  public func bitmap() throws(Status) -> Bitmap {
    try withView(.bgra) { view throws(Status) in try PixelConverter.bitmap(from: view) }
  }
}

extension [UInt8] {
  /// Passes `body` a view of these bytes.
  public func withView<Result: ~Copyable>(
    _ format: PixelFormat, size: PixelSize, stride: Int = 0, _ body: (ImageView) throws(Status) -> Result
  ) throws(Status) -> Result {
    try borrowed { buffer throws(Status) in
      try body(
        try ImageView(format: format, width: size.width, height: size.height, stride: stride, bytes: buffer))
    }
  }

  /// The stored pixels of this file.
  public func decoded(_ token: CancellationToken? = nil) throws(Status) -> Picture {
    try borrowed { file throws(Status) in Picture(try ImageDecoder.decode(file, token).bitmap) }
  }

  /// Passes `body` these bytes, with its own kind of error.
  public func borrowed<Result: ~Copyable>(
    _ body: (UnsafeRawBufferPointer) throws(Status) -> Result
  ) throws(Status) -> Result {
    // `withUnsafeBytes` has neither typed errors nor results that cannot be copied.
    let copy = GuardedBytes(self)
    defer { withExtendedLifetime(copy) {} }
    return try body(copy.bytes)
  }
}
