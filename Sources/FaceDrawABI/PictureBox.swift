import CallerABI
import FaceCore
import Imaging
import Posix
import Rendering

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
