import FaceCore
package import GatewayCoding
import GatewayServing
package import NIOCore

/// The owner of a stream to the engine. Called on the link's event loop, and never after `cancel`.
package protocol EngineStreamReceiver: AnyObject {
  func streamReceived(_ answer: ByteBuffer)

  /// The engine's socket has taken a message of this size; `canSend` may be true again.
  func streamSent(_ byteCount: Int)

  /// The engine has given credit; `canSend` may be true again.
  func streamHasRoom()

  /// - Parameter failure: why the stream failed; `nil` for a normal end.
  func streamEnded(_ failure: CallFailure?)
}

/// A stream of messages to and from the engine. Used on its link's event loop.
///
/// The engine gives credit for unanswered frames. Here a frame counts until its answer was delivered to the
/// client: a client that does not read thus stops its own frames, and no more answers are held than there is
/// credit for.
package final class EngineStream: EngineWork {
  /// The limit on unanswered frames if the engine drops frames and gives no credit.
  private static let creditWithoutLimit = 4

  var timeout: Int64 {
    get { request.timeout }
    set { request.timeout = newValue }
  }

  private var request: EngineRequest
  /// Of a stream with pictures.
  private let eraser: FreedMemoryEraser?
  private let pool: EnginePool
  private var receiver: (any EngineStreamReceiver)?
  private var place: (connection: EngineConnection, number: UInt32)?
  private var isEnded = false
  /// Called once when it has ended, with its failure if there is one; returns the failure to report.
  var mapEnd: ((CallFailure?) -> CallFailure?)?
  private var isFinished = false
  private var sentCount = 0
  /// Whether the socket has yet to take the last message.
  private var isSending = false
  private var credit = 0
  /// Whether everything that the engine sends in response to the start has been received.
  private var knowsMode = false
  private var undelivered = 0
  /// A message whose images are not shared yet.
  private var ticket: ImageSharing.Ticket?
  private var isSharing = false
  /// The images of unanswered frames, by the number of the frame, and why the engine did not take them.
  private var shared: [(frame: Int, images: SharedImages, refusal: Status?)] = []
  private var answerCount = 0

  init(_ request: EngineRequest, _ pool: EnginePool, _ receiver: any EngineStreamReceiver) {
    self.request = request
    eraser = NamedImages.areIn(request.name) ? FreedMemoryEraser() : nil
    self.pool = pool
    self.receiver = receiver
  }

  // MARK: Beginning

  func begin(on connection: EngineConnection) {
    do throws(CallFailure) {
      let number = try connection.open(request, self)
      // The connection may have ended, and the stream with it.
      if isEnded { return }
      place = (connection, number)
    } catch {
      return fail(error)
    }
    if isFinished { sendEnd() }
    receiver?.streamHasRoom()
  }

  /// Whether it can begin again on another connection: the engine has received nothing but its request.
  var isRepeatable: Bool { sentCount == 0 && !isEnded }

  /// Waits for room on another connection, since the engine is stopping and has not begun the stream.
  func moveOn() {
    place = nil
    pool.start(self, isMoved: true)
  }

  func fail(_ failure: CallFailure) { ended(failure) }

  // MARK: To the engine

  /// Whether the engine has room for a message.
  package var canSend: Bool {
    guard place != nil, !isEnded, !isFinished, !isSending else { return false }
    switch sentCount {
    case 0: return true
    // Whether frames need credit depends on the start, which is not decoded here. By the PONG, the engine has
    // given credit or never will.
    case 1 where !knowsMode: return false
    default: return undelivered < credit
    }
  }

  /// Sends a message; only if `canSend` is true.
  package func send(_ message: EngineMessage) {
    guard let place, !isEnded, !isFinished else { return }
    let isStart = sentCount == 0
    if !isStart { undelivered += 1 }
    sentCount += 1
    isSending = true
    // Memory that is shared counts for itself.
    let count = message.upload == nil ? message.byteCount : 0
    guard pool.sharing.isNeeded(for: message, of: request.name) else {
      return write(message, of: count, nil, on: place, isStart: isStart)
    }
    isSharing = true
    ticket = pool.sharing.share(message, of: request.name, timeout: 0) { [self] result in
      isSharing = false
      if isEnded { return }
      do throws(CallFailure) {
        let images = try result.get()
        let isLast = isFinished
        write(
          images.map { EngineMessage($0.message) } ?? message, of: count, images, on: place, isStart: isStart)
        if isLast { sendEnd() }
      } catch {
        end(error)
      }
    }
  }

  /// - Parameter count: the bytes of the message that its owner holds.
  private func write(
    _ message: EngineMessage, of count: Int, _ images: SharedImages?,
    on place: (connection: EngineConnection, number: UInt32), isStart: Bool
  ) {
    if let images { shared.append((sentCount - 1, images, nil)) }
    do throws(CallFailure) {
      try place.connection.send(message, on: place.number, images) { [self] in
        isSending = false
        receiver?.streamSent(count)
      }
    } catch {
      return end(error)
    }
    if isStart { place.connection.ping(place.number) }
  }

  private func end(_ failure: CallFailure) {
    let receiver = receiver
    cancel()
    receiver?.streamEnded(failure)
  }

  /// Ends the client's side of the stream.
  package func finish() {
    if isEnded || isFinished { return }
    isFinished = true
    // A message that is being shared comes before the end.
    if place != nil, !isSharing { sendEnd() }
  }

  private func sendEnd() {
    // A stream whose request was its only message has already ended.
    guard let place, request.kind == .messages else { return }
    place.connection.finish(place.number)
  }

  /// Ends the stream, in the engine, too. The receiver gets no more calls.
  package func cancel() {
    if isEnded { return }
    isEnded = true
    _ = mapEnd.take()?(nil)
    receiver = nil
    freeImages()
    if let place { place.connection.cancel(place.number) } else { pool.cancel(self) }
  }

  // MARK: From the engine

  /// Counts an answer as delivered to the client.
  package func delivered() {
    undelivered = max(0, undelivered - 1)
    receiver?.streamHasRoom()
  }

  func received(_ message: ByteBuffer) {
    // Frames are answered in their order, each once.
    answerCount += 1
    guard let first = shared.first, first.frame == answerCount else {
      receiver?.streamReceived(message)
      return
    }
    shared.removeFirst()
    receiver?.streamReceived(first.refusal.map { NamedImages.answer(message, failure: $0) } ?? message)
  }

  /// Notes that the engine did not take the images in a buffer. It answers their frame that it does not find
  /// them.
  func refused(_ buffer: UInt32, _ status: Status) {
    guard let index = shared.firstIndex(where: { $0.images.upload.number == buffer }) else { return }
    shared[index].refusal = status
  }

  private func freeImages() {
    shared = []
    ticket.take()?.cancel()
  }

  func received(credit more: Int) {
    credit += more
    receiver?.streamHasRoom()
  }

  /// Notes that everything sent in response to the start has been received.
  func learntMode() {
    knowsMode = true
    if credit == 0 { credit = Self.creditWithoutLimit }
    receiver?.streamHasRoom()
  }

  func ended(_ failure: CallFailure?) {
    if isEnded { return }
    isEnded = true
    freeImages()
    let told = mapEnd.take().map { $0(failure) } ?? failure
    receiver.take()?.streamEnded(told)
  }
}
