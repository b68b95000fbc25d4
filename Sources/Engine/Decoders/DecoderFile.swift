import FaceCore
import Posix

/// A file that a decoder has opened. It keeps the process until it is released.
final class DecoderFile: OpenedFile {
  private enum State {
    case opened(DecoderProcess)
    /// The process has ended or was killed.
    case ended(Status)
  }

  private let pool: DecoderPool
  private let key: DecoderPool.Key
  private var state: State
  let size: PixelSize
  let orientation: Orientation?

  /// Has a decoder read the header of `bytes`. Throws as `FileDecoder.open`.
  init(
    _ bytes: UnsafeRawBufferPointer, _ pool: DecoderPool, _ key: DecoderPool.Key,
    _ token: CancellationToken?
  ) throws(Status) {
    let (process, header) = try DecoderFile.open(bytes, pool, key, token)
    self.pool = pool
    self.key = key
    state = .opened(process)
    size = header.size
    orientation = UInt8(exactly: header.orientation).flatMap(Orientation.init(rawValue:))
  }

  deinit {
    if case .opened(let process) = state { pool.finish(process, key) }
  }

  private static func open(
    _ bytes: UnsafeRawBufferPointer, _ pool: DecoderPool, _ key: DecoderPool.Key,
    _ token: CancellationToken?
  ) throws(Status) -> (DecoderProcess, DecodeResponse) {
    while true {
      let idle = try pool.reuse(key)
      let process = if let idle { idle } else { try pool.start(key, token) }
      let outcome: DecoderProcess.Outcome
      do throws(Status) {
        outcome = try process.open(bytes, token)
        // A decoder that was taken over may say anything.
        if case .done(let header) = outcome {
          try ImageLimits.check(width: header.size.width, height: header.size.height)
        }
      } catch {
        pool.finish(process, key)
        throw error
      }
      switch outcome {
      case .done(let header): return (process, header)
      case .failed(let status):
        pool.finish(process, key)
        throw status
      // It may have ended just before it was asked, or with the process that forked it.
      case .ended where idle != nil || process.isOrphan: pool.forget(process)
      case .ended: throw pool.lose(key)
      case .stopped(let status):
        pool.kill(process)
        throw status
      }
    }
  }

  func decode(
    _ form: PixelForm, size: PixelSize, _ token: CancellationToken?
  ) throws(Status) -> any PixelMemory {
    while true {
      let process: DecoderProcess
      switch state {
      case .opened(let opened): process = opened
      case .ended(let status): throw status
      }
      let (outcome, pixels) = try process.decode(form, byteCount: size.width * size.height * 4, token)
      switch outcome {
      case .done(let response) where response.size == size: return pixels
      case .done(let response):
        throw Status(
          .invalidArgument,
          "the file has \(response.width)×\(response.height) pixels, but its header states another size; send the whole file again"
        )
      case .failed(let status): throw status
      case .ended:
        guard process.isOrphan, let file = process.file else { throw end(pool.lose(key)) }
        pool.forget(process)
        try reopen(file, token)
      case .stopped(let status):
        pool.kill(process)
        throw end(status)
      }
    }
  }

  /// Has another decoder read the header of the file, because the process that forked the last one is lost.
  private func reopen(_ file: UnsafeRawBufferPointer, _ token: CancellationToken?) throws(Status) {
    do throws(Status) {
      state = .opened(try DecoderFile.open(file, pool, key, token).0)
    } catch {
      throw end(error)
    }
  }

  private func end(_ status: Status) -> Status {
    state = .ended(status)
    return status
  }
}
