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
public func face_draw_last_error() -> UnsafePointer<CChar>! { LastError.value }

@c @implementation
public func face_picture_create(
  _ image: UnsafePointer<face_image>!, _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Pictures.give(out_picture) { () throws(Status) in
      let input = try ImageInput(reading: image, "image")
      return try PictureBox(try UprightImage(input, willCrop: true).whole())
    }
  }
}

@c @implementation
public func face_picture_attach(
  _ format: face_format, _ width: UInt32, _ height: UInt32, _ stride: Int,
  _ pixels: UnsafeMutableRawPointer!, _ size: Int, _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Pictures.give(out_picture) { () throws(Status) in
      try PictureBox(
        on: try target(format, PixelSize(width: Int(width), height: Int(height)), stride, pixels, size))
    }
  }
}

@c @implementation
public func face_picture_image(
  _ handle: OpaquePointer!, _ out_image: UnsafeMutablePointer<face_image>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Pictures.get(handle).canvas.withBitmap { (bitmap) throws(Status) in
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
  LastError.catching { () throws(Status) in
    let picture = try Pictures.get(handle)
    let target = try target(format, picture.canvas.size, stride, pixels, size)
    target.makeOpaque()
    try picture.write(to: target)
  }
}

@c @implementation
public func face_picture_save(_ handle: OpaquePointer!, _ path: UnsafePointer<CChar>!) -> face_status {
  LastError.catching { () throws(Status) in
    let picture = try Pictures.get(handle)
    let path = try text(path, "path")
    let file = try picture.canvas.png()
    let outcome = file.withUnsafeBytes { bytes in
      Result { () throws(Status) in try File.writeAtomically(path, bytes) }
    }
    try outcome.get()
  }
}

@c @implementation
public func face_picture_destroy(_ handle: OpaquePointer!) { Pictures.remove(handle) }

private func target(
  _ format: face_format, _ size: PixelSize, _ stride: Int, _ pixels: UnsafeMutableRawPointer?, _ count: Int
) throws(Status) -> PixelTarget {
  guard let known = UInt8(exactly: format).flatMap(PixelFormat.init(rawValue:)) else {
    throw Status(.invalidArgument, "format is \(format); give FACE_FORMAT_RGBA, BGRA, RGB, BGR or GRAY")
  }
  guard let pixels else { throw Status(.invalidArgument, "pixels is NULL") }
  // The types are C's size_t, which Swift has as signed numbers.
  guard count >= 0, stride >= 0, UInt(bitPattern: pixels) <= UInt.max - UInt(count) else {
    throw Status(.invalidArgument, "size or stride is more than there can be; give bytes")
  }
  return try PixelTarget(
    format: known, size: size, stride: stride,
    bytes: UnsafeMutableRawBufferPointer(start: pixels, count: count))
}

extension PixelTarget {
  /// Sets alpha, where the format has it, to full cover.
  fileprivate func makeOpaque() {
    guard format == .rgba || format == .bgra, let start = bytes.baseAddress else { return }
    for row in 0..<size.height {
      for column in 0..<size.width {
        start.storeBytes(of: 255, toByteOffset: row * stride + 4 * column + 3, as: UInt8.self)
      }
    }
  }
}

/// What a `face_picture` stands for. One thread at a time uses it: see the header.
final class PictureBox: @unchecked Sendable {
  let canvas: Canvas
  /// The caller's pixels that are drawn on, if they are.
  private let target: PixelTarget?

  init(_ bitmap: consuming Bitmap) throws(Status) {
    canvas = try Canvas(on: bitmap)
    target = nil
  }

  init(on target: PixelTarget) throws(Status) {
    canvas = try Canvas(on: try PixelConverter.bitmap(from: try target.view))
    self.target = target
  }

  /// Draws, and brings what was drawn to where the pixels are.
  func draw(_ body: (borrowing Canvas) throws(Status) -> Void) throws(Status) {
    try body(canvas)
    if let target { try write(to: target) }
  }

  func write(to target: PixelTarget) throws(Status) {
    try canvas.withBitmap { (bitmap) throws(Status) in try PixelConverter.store(bitmap, into: target) }
  }
}

/// All pictures that C programs hold.
enum Pictures {
  private static let table = HandleTable<PictureBox>(kind: 1)

  /// As in libfaceengine: in the child of a fork no lock may be held by another thread.
  private static let forkHandlers: Void = Fork.handlers(
    prepare: { table.lock() }, after: { table.unlock() })

  static func get(_ handle: OpaquePointer?) throws(Status) -> PictureBox {
    try table.get(handle, "picture")
  }

  static func give(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(Status) -> PictureBox
  ) throws(Status) {
    _ = forkHandlers
    try table.give(out, "out_picture", make)
  }

  static func remove(_ handle: OpaquePointer?) { _ = table.remove(handle) }
}

extension LastError {
  /// Runs the body of one exported call; nobody else is told of what it throws.
  static func catching(_ body: () throws(Status) -> Void) -> face_status {
    catching(body, else: { _ in })
  }
}
