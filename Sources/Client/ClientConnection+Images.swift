import FaceCore
import Posix
import Wire

/// One `Detect`, as its caller wants it.
struct DetectRequest {
  let image: ImageInput
  let options: DetectionOptions
  /// Nanoseconds; 0 for as long as it takes.
  let timeout: Int64
  /// Most bytes of a message.
  let limit: Int

  func frame(_ image: MessageImage) throws(ExchangeFailure) -> [UInt8] {
    do throws(Status) {
      return try DetectCall.requestFrame(
        CallHeader(stream: 0, timeout: timeout), image, options, limit: limit)
    } catch {
      throw .failed(error)
    }
  }
}

/// How images travel: large ones in shared memory where the engine takes it, the others in the message.
extension ClientConnection {
  /// Bytes from which on a buffer is quicker than the socket.
  private static let sharedFrom = 32 << 10

  /// The data of the response.
  func detect(_ request: DetectRequest, until deadline: MonotonicTime) throws(ExchangeFailure) -> [UInt8] {
    if request.image.sharedSize >= Self.sharedFrom, let pool,
      let body = try detectShared(request, pool, until: deadline)
    {
      return body
    }
    return try exchange(try request.frame(MessageImage(request.image)), until: deadline)
  }

  /// `nil` when no buffer is to be had.
  private func detectShared(
    _ request: DetectRequest, _ pool: BufferPool, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> [UInt8]? {
    guard let buffer = try offered(request.image.sharedSize, pool, until: deadline) else { return nil }
    let body: [UInt8]
    do throws(ExchangeFailure) {
      let frame = try request.frame(request.image.copied(into: buffer))
      body = try exchange(frame, until: deadline)
    } catch {
      // Unanswered, so the engine may read it yet.
      pool.forget(buffer)
      throw error
    }
    if pool.isRefused, isNotFound(body) {
      pool.forget(buffer)
      return nil
    }
    pool.giveBack(buffer)
    return body
  }

  private func offered(
    _ size: Int, _ pool: BufferPool, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> OfferedBuffer? {
    let turn: BufferPool.Turn
    do throws(Status) {
      turn = try pool.take(size)
    } catch {
      throw .failed(error)
    }
    switch turn {
    case .use(let buffer): return buffer
    case .none: return nil
    case .offer(let buffer, let old):
      do throws(ExchangeFailure) {
        if let old {
          try sendControl(ControlFromClient.takeBack(buffer: old).frame, until: deadline)
        }
        let offer = ControlFromClient.offer(
          buffer: buffer.number, size: UInt64(buffer.memory.bytes.count))
        try sendControl(offer.frame, with: buffer, until: deadline)
      } catch {
        pool.forget(buffer)
        throw error
      }
      return buffer
    }
  }

  private func isNotFound(_ body: [UInt8]) -> Bool {
    let failure = Result { () throws(Status) in try ResponseEnvelope(decoding: body.span).failure }
    return (try? failure.get())?.code == .notFound
  }
}
