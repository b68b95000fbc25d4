import FaceCore

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
  /// Whether a process was lost in the middle of this file, for another reason than the loss of its parent.
  private var hasLostProcess: Bool
  let size: PixelSize
  let orientation: Orientation?
  let workBytes: Int

  /// Has a decoder read the header of `bytes`. Throws as `FileDecoder.open`.
  init(
    _ bytes: UnsafeRawBufferPointer, _ pool: DecoderPool, _ key: DecoderPool.Key,
    _ token: CancellationToken?
  ) throws(Status) {
    var hasLostProcess = false
    let (process, header) = try DecoderFile.open(.borrowed(bytes), pool, key, &hasLostProcess, token)
    self.hasLostProcess = hasLostProcess
    self.pool = pool
    self.key = key
    state = .opened(process)
    size = header.size
    // A decoder that was taken over may say anything.
    workBytes = min(max(0, header.workBytes), DecoderForker.memory)
    orientation = UInt8(exactly: header.orientation).flatMap(Orientation.init(rawValue:))
  }

  deinit {
    if case .opened(let process) = state { pool.finish(process, key) }
  }

  private static func open(
    _ file: DecoderProcess.File, _ pool: DecoderPool, _ key: DecoderPool.Key, _ hasLostProcess: inout Bool,
    _ token: CancellationToken?
  ) throws(Status) -> (DecoderProcess, DecodeResponse) {
    while true {
      let idle = try pool.reuse(key)
      let process = if let idle { idle } else { try pool.start(key, token) }
      let outcome: DecoderProcess.Outcome
      do throws(Status) {
        outcome = try process.open(file, token)
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
      // It may have ended just before it was asked.
      case .ended where idle != nil: pool.forget(process)
      case .ended: try pool.lose(process, key, &hasLostProcess, token)
      case .stopped(let status):
        pool.kill(process)
        throw status
      }
    }
  }

  func decode(
    _ form: PixelForm, size: PixelSize, _ token: CancellationToken?
  ) throws(Status) -> any PixelMemory {
    let (response, pixels) = try ask(.decode, form, byteCount: size.width * size.height * 4, token)
    guard response.size == size else {
      throw Status(
        .invalidArgument,
        "the file has \(response.width)×\(response.height) pixels, but its header states another size; send the whole file again"
      )
    }
    return pixels
  }

  func metadata(_ token: CancellationToken?) throws(Status) -> PictureMetadata {
    let (response, memory) = try ask(
      .describe, PixelForm(), byteCount: PictureMetadata.maxProfileBytes, token)
    let size = min(max(0, Int(response.profileSize)), memory.bytes.count)
    return PictureMetadata(
      profile: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory.bytes)[..<size]),
      PictureMetadata.Resolution(x: response.xPerMetre, y: response.yPerMetre))
  }

  /// Has the decoder fill memory of `byteCount` bytes.
  private func ask(
    _ operation: DecodeRequest.Operation, _ form: PixelForm, byteCount: Int, _ token: CancellationToken?
  ) throws(Status) -> (DecodeResponse, SharedPixels) {
    while true {
      let process: DecoderProcess
      switch state {
      case .opened(let opened): process = opened
      case .ended(let status): throw status
      }
      let (outcome, memory) = try process.ask(operation, form, byteCount: byteCount, token)
      switch outcome {
      case .done(let response): return (response, memory)
      case .failed(let status): throw status
      case .ended: try replace(process, token)
      case .stopped(let status):
        pool.kill(process)
        throw end(status)
      }
    }
  }

  /// Has another decoder read the header of the file, if the end of the last one allows it.
  private func replace(_ process: DecoderProcess, _ token: CancellationToken?) throws(Status) {
    do throws(Status) {
      try pool.lose(process, key, &hasLostProcess, token)
      // Its memory for pixels is released first: there may be too little.
      guard let file = process.takeFile() else {
        throw Status(.internal, "a decoder has no file; please report this")
      }
      state = .opened(try DecoderFile.open(file, pool, key, &hasLostProcess, token).0)
    } catch {
      throw end(error)
    }
  }

  private func end(_ status: Status) -> Status {
    state = .ended(status)
    return status
  }
}
