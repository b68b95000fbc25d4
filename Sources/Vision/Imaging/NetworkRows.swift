public import FaceCore

/// The pixels of `NetworkInput`, made row by row when the network reads them: scaled rows are read while they
/// are in the processor's cache, and the picture is fetched from memory while the network computes.
public final class NetworkRows {
  public let letterbox: Letterbox
  /// The memory from which the rows are made, from the first to the last: most of it, or empty if they use
  /// only a part of it.
  public let source: UnsafeRawBufferPointer
  private let scaler: RowScaler
  private let clock: StageClock?
  /// Paced by the pixels that are read: one row of a large picture may be made of many.
  private var pacer: WorkPacer
  private let pixelsOfRow: Int

  /// - Parameter image: the image whose clock and cancellation are used.
  init(_ view: ImageView, letterbox: Letterbox, of image: ImageInput) throws(Status) {
    self.letterbox = letterbox
    clock = image.clock
    pacer = WorkPacer(image.cancellation)
    pixelsOfRow = view.size.width * view.size.height / letterbox.content.height
    let isMostOfRow = 2 * view.format.rowBytes(plane: 0, width: view.size.width) > view.stride
    source = isMostOfRow ? view.bytes : UnsafeRawBufferPointer(start: nil, count: 0)
    scaler = try RowScaler(view, to: letterbox.content)
  }

  /// Writes a row of BGRA pixels with the width of the letterbox's content. Throws the error of the image's
  /// token, which is checked between rows.
  public func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status) {
    clock?.begin(.convert)
    defer { clock?.end() }
    try pacer.add(pixelsOfRow)
    try scaler.write(row: row, into: target, isFirstPlaneFetched: !source.isEmpty)
  }
}
