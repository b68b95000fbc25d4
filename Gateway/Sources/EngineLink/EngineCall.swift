import FaceCore
import GatewayCoding
import NIOCore

/// A call with one answer, from waiting for room on a connection until it is answered. Used on its link's
/// event loop.
package final class EngineCall: EngineWork {
  var timeout: Int64 {
    get { request.timeout }
    set { request.timeout = newValue }
  }

  private var request: EngineRequest
  private let pool: EnginePool
  private var completion: ((Result<ByteBuffer, CallFailure>) -> Void)?
  private var place: (connection: EngineConnection, number: UInt32)?
  private var begun: NIODeadline
  /// When it fails at the latest; `nil` for a call without a time limit.
  private let expiry: NIODeadline?
  /// The images of a request that is too large for a frame, and what waits until they are shared.
  private var images: SharedImages?
  private var ticket: ImageSharing.Ticket?
  /// Whether they are shared, or cannot be.
  private var isShared = false
  private var refusal: Status?
  private var refusalCount = 0
  private var isCancelled = false

  init(
    _ request: EngineRequest, _ pool: EnginePool,
    _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) {
    self.request = request
    self.pool = pool
    self.completion = completion
    begun = pool.loop.now
    // A moment after the engine's own deadline, whose answer says more.
    expiry = request.timeout > 0 ? begun + .nanoseconds(request.timeout) + Self.grace : nil
  }

  private static let grace = TimeAmount.milliseconds(250)

  /// Fails the call if its time is over, and the engine has not.
  func sweep(_ now: NIODeadline) {
    guard let expiry, now > expiry else { return }
    if let place { place.connection.cancel(place.number) }
    complete(.failure(.unanswered))
  }

  /// Waits for room on a connection, and before that, where images have to be shared, for memory.
  func start() {
    guard needsSharing, !pool.isRefusing else { return pool.start(self) }
    begun = pool.loop.now
    ticket = pool.sharing.share(request.payload, of: request.name, timeout: timeout) { [self] result in
      isShared = true
      do throws(CallFailure) {
        if let shared = try result.get() {
          images = shared
          request.payload = EngineMessage(shared.message)
        }
        moveOn()
      } catch {
        fail(error)
      }
    }
  }

  private var needsSharing: Bool {
    !isShared && pool.sharing.isNeeded(for: request.payload, of: request.name)
  }

  func begin(on connection: EngineConnection) {
    // The engine's limits are not known before there is a connection.
    if needsSharing {
      connection.release(.calls)
      return start()
    }
    do throws(CallFailure) {
      begun = pool.loop.now
      refusal = nil
      let number = try connection.begin(request, self, images)
      // The connection may have ended, and the call with it.
      if completion != nil { place = (connection, number) }
    } catch {
      fail(error)
    }
  }

  /// Waits for room on another connection, since the engine is stopping and has not begun the call.
  func moveOn() {
    place = nil
    if timeout > 0 {
      timeout -= (pool.loop.now - begun).nanoseconds
      guard timeout > 0 else { return fail(EnginePool.late) }
    }
    pool.start(self, isMoved: true)
  }

  func fail(_ failure: CallFailure) { complete(.failure(failure)) }

  /// Notes that the engine did not take the images. It answers the call that it does not find them.
  func refused(_ status: Status) { refusal = status }

  /// Begins a call again whose images were refused: other programs of this user may need less memory soon.
  private func tryAgain(after refusal: Status) {
    place = nil
    refusalCount += 1
    guard refusal.code == .resourceExhausted, refusalCount < Self.maxRefusals, !isCancelled else {
      return fail(CallFailure(refusal))
    }
    pool.sharing.loop.assumeIsolated().scheduleTask(in: Self.retryInterval) { [self] in
      if completion != nil { moveOn() }
    }
  }

  private static let maxRefusals = 20
  private static let retryInterval = TimeAmount.milliseconds(100)

  func complete(_ result: Result<ByteBuffer, CallFailure>) {
    if let refusal = refusal.take(), case .failure(let failure) = result, failure.status.code == .notFound {
      return tryAgain(after: refusal)
    }
    place = nil
    images = nil
    ticket.take()?.cancel()
    request.payload = EngineMessage()
    completion.take()?(result)
  }

  /// Cancels the call, in the engine, too, which answers that it was cancelled. Does nothing after the
  /// answer.
  package func cancel() {
    guard completion != nil else { return }
    isCancelled = true
    if let place { return place.connection.cancel(place.number) }
    pool.cancel(self)
    fail(CallFailure(.cancelled, "the call was cancelled"))
  }
}
