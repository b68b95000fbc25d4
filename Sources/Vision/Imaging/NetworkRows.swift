public import FaceCore

/// The pixels for a network as `NetworkInput` has them, made a row at a time when the network reads them: what is scaled is read
/// while it is in the processor's cache, and the picture comes from memory while the network computes.
public final class NetworkRows {
  public let letterbox: Letterbox
  /// What the rows are made of, from the first to the last: most of it, or nothing where it is only a part of what lies there.
  public let source: UnsafeRawBufferPointer
  private let scaler: RowScaler
  private let clock: StageClock?
  /// By the pixels that are read: one row of a large picture may be made of many.
  private var pacer: WorkPacer
  private let pixelsOfRow: Int

  /// - Parameter image: whose clock and cancellation are used.
  init(_ view: ImageView, letterbox: Letterbox, of image: ImageInput) throws(Status) {
    self.letterbox = letterbox
    clock = image.clock
    pacer = WorkPacer(image.cancellation)
    pixelsOfRow = view.size.width * view.size.height / letterbox.content.height
    let isMostOfRow = 2 * view.format.rowBytes(plane: 0, width: view.size.width) > view.stride
    source = isMostOfRow ? view.bytes : UnsafeRawBufferPointer(start: nil, count: 0)
    scaler = try RowScaler(view, to: letterbox.content)
  }

  /// Writes a row of BGRA pixels, as many as the letterbox's content is wide. Throws what the image's token throws, which is asked
  /// between rows.
  public func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status) {
    clock?.begin(.convert)
    defer { clock?.end() }
    try pacer.add(pixelsOfRow)
    try scaler.write(row: row, into: target, isFirstPlaneFetched: !source.isEmpty)
  }
}
