import FaceCore
import Posix

/// A file that a decoder has opened. It keeps the process until it is released.
final class DecoderFile: OpenedFile {
  private let pool: DecoderPool
  private let key: DecoderPool.Key
  /// `nil` once the process has ended or was killed.
  private var process: DecoderProcess?
  let size: PixelSize
  let orientation: Orientation?

  /// Has a decoder read the header of `bytes`. Throws as `FileDecoder.open`.
  init(
    _ bytes: UnsafeRawBufferPointer, _ pool: DecoderPool, _ key: DecoderPool.Key,
    _ token: CancellationToken?
  ) throws(Status) {
    self.pool = pool
    self.key = key
    let memory = try MemoryFile(size: bytes.count)
    try memory.bytes.fill(from: bytes, token)
    let request = DecodeRequest(operation: .open, byteCount: bytes.count)
    var opened: (process: DecoderProcess, header: DecodeResponse)?
    while opened == nil {
      let idle = try pool.reuse(key)
      let process = if let idle { idle } else { try pool.start(key) }
      switch process.outcome(of: request, in: memory, token) {
      case .done(let header): opened = (process, header)
      case .failed(let status):
        pool.finish(process, key)
        throw status
      // It may have ended just before it was asked.
      case .ended where idle != nil: pool.forget(process)
      case .ended: throw pool.lose(key)
      case .stopped(let status):
        pool.kill(process)
        throw status
      }
    }
    process = opened?.process
    size = PixelSize(width: Int(opened?.header.width ?? 0), height: Int(opened?.header.height ?? 0))
    orientation = opened.flatMap { UInt8(exactly: $0.header.orientation) }.flatMap(
      Orientation.init(rawValue:))
  }

  deinit {
    if let process { pool.finish(process, key) }
  }

  func decode(
    _ form: PixelForm, size: PixelSize, _ token: CancellationToken?
  ) throws(Status) -> any PixelMemory {
    guard let process else { throw DecoderFactory.gone }
    let pixels = try SharedPixels(byteCount: size.width * size.height * 4)
    let request = DecodeRequest(operation: .decode, form, byteCount: pixels.bytes.count)
    switch process.outcome(of: request, in: pixels.file, token) {
    case .done: return pixels
    case .failed(let status): throw status
    case .ended:
      self.process = nil
      throw pool.lose(key)
    case .stopped(let status):
      self.process = nil
      pool.kill(process)
      throw status
    }
  }
}

/// Pixels in memory that is shared with a decoder.
private final class SharedPixels: PixelMemory {
  let file: MemoryFile
  var bytes: UnsafeMutableRawBufferPointer { file.bytes }

  init(byteCount: Int) throws(Status) { file = try MemoryFile(size: byteCount) }
}
