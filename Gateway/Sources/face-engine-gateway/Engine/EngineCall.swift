import FaceCore
import NIOCore

/// A call of one answer, from the time that it waits for room until it is answered. Lives on its link's event loop.
final class EngineCall: EngineWork {
  var timeout: Int64 {
    get { request.timeout }
    set { request.timeout = newValue }
  }

  private var request: EngineRequest
  private let pool: EnginePool
  private var completion: ((Result<ByteBuffer, CallFailure>) -> Void)?
  private var place: (connection: EngineConnection, number: UInt32)?

  init(
    _ request: EngineRequest, _ pool: EnginePool,
    _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) {
    self.request = request
    self.pool = pool
    self.completion = completion
  }

  func begin(on connection: EngineConnection) {
    do throws(CallFailure) {
      place = (connection, try connection.begin(request, self))
    } catch {
      fail(error)
    }
    // The socket has it.
    request.payload = ByteBuffer()
  }

  func fail(_ failure: CallFailure) { complete(.failure(failure)) }

  func complete(_ result: Result<ByteBuffer, CallFailure>) {
    place = nil
    completion.take()?(result)
  }

  /// Cancels it in the engine, too, which answers that it was. Nothing, when it has been answered.
  func cancel() {
    guard completion != nil else { return }
    if let place { return place.connection.cancel(place.number) }
    pool.cancel(self)
    fail(CallFailure(.cancelled, "the call was cancelled"))
  }
}
