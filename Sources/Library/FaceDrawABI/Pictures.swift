// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import CFaceEngineDraw
import CallerABI
import FaceCore
import Imaging
import Posix
import Rendering

@c @implementation
public func face_draw_last_error() -> UnsafePointer<CChar>! { LastError.message }

@c @implementation
public func face_picture_create(
  _ image: UnsafePointer<face_image>!, _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.status { () throws(Status) in
    try Handles.createPicture(out_picture) { () throws(Status) in
      let input = try ImageInput(reading: image, "image")
      return try PictureBox(try PictureCopy(of: input))
    }
  }
}

@c @implementation
public func face_picture_attach(
  _ format: face_format, _ width: UInt32, _ height: UInt32, _ stride: Int,
  _ pixels: UnsafeMutableRawPointer!, _ size: Int, _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.status { () throws(Status) in
    try Handles.createPicture(out_picture) { () throws(Status) in
      try PictureBox(
        on: try pixelTarget(format, PixelSize(width: Int(width), height: Int(height)), stride, pixels, size))
    }
  }
}

@c @implementation
public func face_picture_image(
  _ handle: OpaquePointer!, _ out_image: UnsafeMutablePointer<face_image>!
) -> face_status {
  LastError.status { () throws(Status) in
    try Handles.pictures.get(handle, "picture").withShown { (bitmap) throws(Status) in
      var image = face_image()
      image.format = face_format(FACE_FORMAT_BGRA)
      image.width = UInt32(bitmap.size.width)
      image.height = UInt32(bitmap.size.height)
      image.planes.0 = UnsafeRawPointer(bitmap.pixels.baseAddress)
      image.plane_sizes.0 = bitmap.pixels.count
      image.strides.0 = bitmap.stride
      try VersionedStruct.write(image, to: out_image, name: "out_image")
    }
  }
}

@c @implementation
public func face_picture_copy(
  _ handle: OpaquePointer!, _ format: face_format, _ stride: Int, _ pixels: UnsafeMutableRawPointer!,
  _ size: Int
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let target = try pixelTarget(format, picture.canvas.size, stride, pixels, size)
    target.makeOpaque()
    try picture.write(to: target)
  }
}

@c @implementation
public func face_picture_save(_ handle: OpaquePointer!, _ path: UnsafePointer<CChar>!) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let path = try CallerABI.path(path, "path")
    let file = try picture.canvas.file(try PictureFormat(ofFile: path))
    let outcome = file.withUnsafeBytes { bytes in
      Result { () throws(Status) in try File.writeAtomically(path, bytes) }
    }
    try outcome.get()
  }
}

@c @implementation
public func face_picture_destroy(_ handle: OpaquePointer!) {
  Thread.withoutCancellation { _ = Handles.pictures.remove(handle) }
}

/// The caller's pixels as a drawing target. Throws `invalidArgument`.
private func pixelTarget(
  _ format: face_format, _ size: PixelSize, _ stride: Int, _ pixels: UnsafeMutableRawPointer?, _ count: Int
) throws(Status) -> PixelTarget {
  let packed: PixelFormat = try known(
    format, "format", "; give FACE_FORMAT_RGBA, BGRA, RGB, BGR or GRAY")
  guard let pixels else {
    throw Status(.invalidArgument, "pixels is NULL; pass the first byte of the pixels")
  }
  // C's size_t is imported as a signed Int.
  guard count >= 0, stride >= 0, UInt(bitPattern: pixels) <= UInt.max - UInt(count) else {
    throw Status(.invalidArgument, "size or stride is too large; give them in bytes")
  }
  return try PixelTarget(
    format: packed, size: size, stride: stride,
    bytes: UnsafeMutableRawBufferPointer(start: pixels, count: count))
}

extension PixelTarget {
  /// Sets every alpha byte to 255, if the format has one.
  fileprivate func makeOpaque() {
    guard format == .rgba || format == .bgra, let start = bytes.baseAddress else { return }
    for row in 0..<size.height {
      for column in 0..<size.width {
        start.storeBytes(of: 255, toByteOffset: row * stride + 4 * column + 3, as: UInt8.self)
      }
    }
  }
}

/// The object behind a `face_picture`. Used by one thread at a time, as the header says.
final class PictureBox: @unchecked Sendable {
  let canvas: Canvas
  /// The caller's pixels; `nil` if the picture has its own.
  private let target: PixelTarget?
  /// What a caller may still read of a transparent picture.
  private var shown: ShownPixels?

  init(_ picture: consuming PictureCopy) throws(Status) {
    canvas = try Canvas(on: picture)
    target = nil
  }

  init(on target: PixelTarget) throws(Status) {
    canvas = try Canvas(on: try PixelConverter.bitmap(from: try target.view))
    self.target = target
  }

  /// Draws, then writes the picture to the caller's pixels if there are any.
  func draw(_ body: (borrowing Canvas) throws(Status) -> Void) throws(Status) {
    shown = nil
    try body(canvas)
    try canvas.checkDrawn()
    if let target { try write(to: target) }
  }

  /// Passes the picture, on white if it is transparent, to `body`. The pixels stay valid until the next call that
  /// draws on the picture or destroys it.
  func withShown(_ body: (borrowing Bitmap) throws(Status) -> Void) throws(Status) {
    guard canvas.isTransparent else { return try canvas.withBitmap(body) }
    let pixels: ShownPixels
    if let shown { pixels = shown } else { pixels = ShownPixels(try canvas.beforeWhite()) }
    shown = pixels
    try body(pixels.bitmap)
  }

  func write(to target: PixelTarget) throws(Status) {
    try canvas.withBitmap { (bitmap) throws(Status) in try PixelConverter.store(bitmap, into: target) }
  }
}

private final class ShownPixels {
  let bitmap: Bitmap

  init(_ bitmap: consuming Bitmap) { self.bitmap = bitmap }
}

/// The table of the pictures that C programs hold.
enum Handles {
  static let pictures = HandleTable<PictureBox>(kind: 1)

  /// Makes a picture and writes its handle to the caller's variable, which is checked first.
  static func createPicture(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(Status) -> PictureBox
  ) throws(Status) {
    _ = forkHandlers
    guard let out else {
      throw Status(.invalidArgument, "out_picture is NULL; give a variable for the handle")
    }
    out.pointee = pictures.insert(try make())
  }

  /// No other thread may hold the lock at a fork, as in libfaceengine.
  private static let forkHandlers: Void = Fork.handlers(
    prepare: { pictures.lock() }, after: { pictures.unlock() })
}
