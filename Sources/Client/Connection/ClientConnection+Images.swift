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
    guard let buffer = try offered(request, pool, until: deadline) else { return nil }
    let body: [UInt8]
    do throws(ExchangeFailure) {
      let frame = try request.frame(request.image.copied(into: buffer))
      body = try exchange(frame, until: deadline)
    } catch {
      // Unanswered, so the engine may read it yet.
      pool.forget(buffer)
      throw error
    }
    // The engine answers an offer before the call that names it.
    if let refusal = pool.refusal(of: buffer) {
      if request.image.sharedSize < request.limit { return nil }
      throw .failed(refusal)
    }
    pool.giveBack(buffer)
    return body
  }

  private func offered(
    _ request: DetectRequest, _ pool: BufferPool, until deadline: MonotonicTime
  ) throws(ExchangeFailure) -> OfferedBuffer? {
    let size = request.image.sharedSize
    let turn: BufferPool.Turn
    do throws(Status) {
      // What fits in a message need not wait.
      turn = try pool.take(size, waitingUntil: size < request.limit ? nil : deadline)
    } catch {
      throw .failed(error)
    }
    switch turn {
    case .use(let buffer): return buffer
    case .none: return nil
    case .offer(let buffer, let retired):
      do throws(ExchangeFailure) {
        for number in retired {
          try sendControl(ControlFromClient.takeBack(buffer: number).frame, until: deadline)
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
}
