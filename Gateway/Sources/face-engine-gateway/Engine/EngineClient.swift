import FaceCore
import NIOCore

/// Makes the engine's calls and streams available to tasks, which run on any thread, by passing them to the
/// link on its event loop.
struct EngineClient: Sendable {
  let link: NIOLoopBoundBox<EngineLink>
  let loop: any EventLoop

  init(path: String, loop: any EventLoop) {
    self.loop = loop
    link = .makeBoxSendingValue(EngineLink(path: path, loop: loop), eventLoop: loop)
  }

  /// Makes a call with one answer. Cancelling the token cancels it in the engine, too.
  func call(
    _ request: EngineRequest, _ token: CallToken = CallToken()
  ) async throws(CallFailure) -> ByteBuffer {
    let result = await withCheckedContinuation { continuation in
      loop.execute {
        let call = link.value.call(request) { continuation.resume(returning: $0) }
        let bound = NIOLoopBound(call, eventLoop: loop)
        token.arm { loop.execute { bound.value.cancel() } }
      }
    }
    token.disarm()
    return try result.get()
  }

  func open(_ request: EngineRequest) -> EngineExchange { EngineExchange(self, request) }
}

/// A stream to the engine for a task that sends a message and waits for its answer before it sends the next.
final class EngineExchange: Sendable {
  /// The stream's state, used on the event loop.
  private final class State: EngineStreamReceiver {
    var stream: EngineStream?
    private var unsent: [ByteBuffer] = []
    private var answers: [ByteBuffer] = []
    private var end: Result<ByteBuffer?, CallFailure>?
    private var receiver: CheckedContinuation<Result<ByteBuffer?, CallFailure>, Never>?

    func send(_ message: ByteBuffer) {
      unsent.append(message)
      streamHasRoom()
    }

    func next(_ continuation: CheckedContinuation<Result<ByteBuffer?, CallFailure>, Never>) {
      receiver = continuation
      answer()
    }

    private func answer() {
      guard let result = answers.first.map({ .success($0) }) ?? end, let waiting = receiver.take() else {
        return
      }
      if !answers.isEmpty {
        answers.removeFirst()
        stream?.delivered()
      }
      waiting.resume(returning: result)
    }

    func streamReceived(_ message: ByteBuffer) {
      answers.append(message)
      answer()
    }

    func streamSent(_ byteCount: Int) { streamHasRoom() }

    func streamHasRoom() {
      while let stream, stream.canSend, !unsent.isEmpty { stream.send(unsent.removeFirst()) }
    }

    func streamEnded(_ failure: CallFailure?) {
      end = failure.map { .failure($0) } ?? .success(nil)
      answer()
    }

    func cancel() {
      stream?.cancel()
      streamEnded(CallFailure(.cancelled, "the stream was cancelled"))
    }
  }

  private let loop: any EventLoop
  private let state: NIOLoopBoundBox<State>

  fileprivate init(_ client: EngineClient, _ request: EngineRequest) {
    loop = client.loop
    state = .makeBoxSendingValue(State(), eventLoop: client.loop)
    let state = state
    loop.execute { state.value.stream = client.link.value.open(request, state.value) }
  }

  /// Sends a message that is not answered.
  func send(_ message: ByteBuffer) {
    let state = state
    loop.execute { state.value.send(message) }
  }

  /// Sends a message and waits for its answer.
  ///
  /// - Returns: the answer; `nil` if the engine has ended the stream.
  func exchange(_ message: ByteBuffer) async throws(CallFailure) -> ByteBuffer? {
    let result = await withCheckedContinuation { continuation in
      let state = state
      loop.execute {
        state.value.send(message)
        state.value.next(continuation)
      }
    }
    return try result.get()
  }

  func cancel() {
    let state = state
    loop.execute { state.value.cancel() }
  }
}
