import EngineLink
import FaceCore
import GatewayGRPC
import GatewayServing
import NIOCore

/// Answers the requests of a `ModelStreamInfer`, in their order. Some are computed at a time; a client that does not
/// read their answers stops its own requests.
final class InferenceStream: GRPCHandler {
  /// The most requests that are computed, or whose answer the client has not taken.
  private static let most = 4

  private final class Exchange {
    var task: Task<Void, Never>?
    var answer: ByteBuffer?
  }

  private let call: GRPCCall
  private let eraser = FreedMemoryEraser()
  private let service: InferenceService
  /// The requests without an answer for the client yet, in their order.
  private var waiting: [Exchange] = []
  /// The number of answers that the client has not taken yet.
  private var untaken = 0
  private var isAtEnd = false

  init(_ call: GRPCCall, _ service: InferenceService) {
    self.call = call
    self.service = service
  }

  // MARK: From the client

  var wantsMessage: Bool { !isAtEnd && waiting.count + untaken < Self.most }

  var needsMessage: Bool { false }

  func received(_ message: EngineMessage) {
    let (exchange, message) = (Exchange(), call.holding(message))
    waiting.append(exchange)
    let (service, timeout) = (service, remainingTime)
    let bound = NIOLoopBound((self, exchange), eventLoop: service.loop)
    exchange.task = Task {
      let answer = await service.streamAnswer(message.body, timeout: timeout)
      withExtendedLifetime(message) {}
      service.loop.execute {
        let (stream, exchange) = bound.value
        stream.computed(exchange, answer)
      }
    }
  }

  func receivedEnd() {
    isAtEnd = true
    finishIfDone()
  }

  func cancelled() {
    for exchange in waiting { exchange.task?.cancel() }
    waiting = []
  }

  /// Answers the requests that it has, and ends the stream.
  func drainBegan() { receivedEnd() }

  /// The nanoseconds that are left of the call's time limit; 0 for no limit.
  private var remainingTime: Int64 {
    guard call.head.timeout > 0 else { return 0 }
    return max(1, call.head.timeout - (NIODeadline.now() - call.arrival).nanoseconds)
  }

  // MARK: To the client

  private func computed(_ exchange: Exchange, _ answer: ByteBuffer) {
    exchange.answer = answer
    while let next = waiting.first, let answer = next.answer {
      waiting.removeFirst()
      untaken += 1
      call.send(answer) { [weak self] in self?.answerTaken() }
    }
  }

  private func answerTaken() {
    untaken -= 1
    assert(untaken >= 0, "more answers were taken than sent")
    if isAtEnd { finishIfDone() } else { call.resume() }
  }

  private func finishIfDone() {
    if waiting.isEmpty, untaken == 0 { call.finish() }
  }
}
