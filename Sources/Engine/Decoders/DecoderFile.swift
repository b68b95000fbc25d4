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
    var opened: (process: DecoderProcess, header: DecodeResponse)?
    while opened == nil {
      let idle = try pool.reuse(key)
      let process = if let idle { idle } else { try pool.start(key) }
      let outcome: DecoderProcess.Outcome
      do throws(Status) {
        outcome = try process.open(bytes, token)
      } catch {
        pool.finish(process, key)
        throw error
      }
      switch outcome {
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
    size = opened?.header.size ?? PixelSize(width: 0, height: 0)
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
    let (outcome, pixels) = try process.decode(form, byteCount: size.width * size.height * 4, token)
    switch outcome {
    case .done(let response) where response.size == size: return pixels
    case .done(let response):
      throw Status(
        .invalidArgument,
        "the file has \(response.width)×\(response.height) pixels, and its header says another size; send the whole file again"
      )
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
