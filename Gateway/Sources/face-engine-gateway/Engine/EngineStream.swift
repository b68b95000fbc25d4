import FaceCore
import NIOCore

/// The owner of a stream to the engine. Called on the link's event loop, and not after a `cancel`.
protocol EngineStreamReceiver: AnyObject {
  /// A message of the engine.
  func streamReceived(_ answer: ByteBuffer)

  /// The engine's socket has taken a message of so many bytes; `canSend` may be true again.
  func streamSent(_ byteCount: Int)

  /// `canSend` may be true again.
  func streamHasRoom()

  /// - Parameter failure: `nil` when the stream came to its proper end.
  func streamEnded(_ failure: CallFailure?)
}

/// A stream of messages to and from the engine. Lives on its link's event loop.
///
/// The engine gives credit for frames that may be unanswered; here a frame counts until its answer was delivered to the
/// client, so that a client that does not read stops its own frames, and no more answers are held than there is credit for.
final class EngineStream: EngineWork {
  /// Unanswered frames of a stream whose engine drops frames rather than giving credit.
  private static let creditWithoutLimit = 4

  var timeout: Int64 {
    get { request.timeout }
    set { request.timeout = newValue }
  }

  private var request: EngineRequest
  private let pool: EnginePool
  private var receiver: (any EngineStreamReceiver)?
  private var place: (connection: EngineConnection, number: UInt32)?
  private var isEnded = false
  private var isFinished = false
  private var sentCount = 0
  /// Whether the socket has not taken the last message yet.
  private var isSending = false
  private var credit = 0
  /// Whether all that the engine says to the start has been received.
  private var knowsMode = false
  private var undelivered = 0

  init(_ request: EngineRequest, _ pool: EnginePool, _ receiver: any EngineStreamReceiver) {
    self.request = request
    self.pool = pool
    self.receiver = receiver
  }

  // MARK: Beginning

  func begin(on connection: EngineConnection) {
    do throws(CallFailure) {
      place = (connection, try connection.open(request, self))
    } catch {
      return fail(error)
    }
    if isFinished { sendEnd() }
    receiver?.streamHasRoom()
  }

  /// Whether it can begin anew, since the engine has been sent nothing but its request.
  var isRepeatable: Bool { sentCount == 0 && !isEnded }

  /// The engine that was asked stops, and has not begun it: it waits for room on another connection.
  func moveOn() {
    place = nil
    pool.start(self)
  }

  func fail(_ failure: CallFailure) { ended(failure) }

  // MARK: To the engine

  /// Whether the engine has room for a message.
  var canSend: Bool {
    guard place != nil, !isEnded, !isFinished, !isSending else { return false }
    switch sentCount {
    case 0: return true
    // Whether frames need credit is the start's to say, which is not opened here: by its PONG the engine has given
    // credit or never will.
    case 1 where !knowsMode: return false
    default: return undelivered < credit
    }
  }

  /// Sends a message, for which there is room.
  func send(_ message: ByteBuffer) {
    guard let place, !isEnded, !isFinished else { return }
    let isStart = sentCount == 0
    if !isStart { undelivered += 1 }
    sentCount += 1
    isSending = true
    let count = message.readableBytes
    do throws(CallFailure) {
      try place.connection.send(message, on: place.number) { [self] in
        isSending = false
        receiver?.streamSent(count)
      }
    } catch {
      let receiver = receiver
      cancel()
      receiver?.streamEnded(error)
      return
    }
    if isStart { place.connection.ping(place.number) }
  }

  /// No more messages come.
  func finish() {
    if isEnded || isFinished { return }
    isFinished = true
    if place != nil { sendEnd() }
  }

  private func sendEnd() {
    // One whose request was its only message has ended already.
    guard let place, request.kind == .messages else { return }
    place.connection.finish(place.number)
  }

  /// Ends it in the engine, too. Its receiver hears nothing more.
  func cancel() {
    if isEnded { return }
    isEnded = true
    receiver = nil
    if let place { place.connection.cancel(place.number) } else { pool.cancel(self) }
  }

  // MARK: From the engine

  /// The client has taken an answer.
  func delivered() {
    undelivered = max(0, undelivered - 1)
    receiver?.streamHasRoom()
  }

  func received(_ message: ByteBuffer) { receiver?.streamReceived(message) }

  func received(credit more: Int) {
    credit += more
    receiver?.streamHasRoom()
  }

  /// All that the engine says to the start has been received.
  func learntMode() {
    knowsMode = true
    if credit == 0 { credit = Self.creditWithoutLimit }
    receiver?.streamHasRoom()
  }

  func ended(_ failure: CallFailure?) {
    if isEnded { return }
    isEnded = true
    receiver.take()?.streamEnded(failure)
  }
}
