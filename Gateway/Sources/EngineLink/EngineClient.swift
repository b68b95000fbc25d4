import FaceCore
package import GatewayCoding
import GatewayServing
package import NIOCore
import NIOPosix

/// Makes the engine's calls and streams available to tasks, which run on any thread, by passing them to the
/// link on its event loop.
package struct EngineClient: Sendable {
  package let link: NIOLoopBoundBox<EngineLink>
  package let loop: any EventLoop

  package init(path: String, maxChecks: Int, loop: any EventLoop) {
    self.loop = loop
    link = .makeBoxSendingValue(
      EngineLink(path: path, maxChecks: maxChecks, loop: loop, tell: tellOperator) {
        ClientBootstrap(group: loop)
          .channelOption(.recvAllocator, value: SocketReads())
          .channelOption(.maxMessagesPerRead, value: SocketReads.together)
          .connect(unixDomainSocketPath: path)
      }, eventLoop: loop)
    let link = link
    loop.execute { link.value.watchEngine() }
  }

  package init(_ link: NIOLoopBoundBox<EngineLink>, on loop: any EventLoop) {
    self.link = link
    self.loop = loop
  }

  /// Makes a call with one answer. Cancelling the task cancels the call, in the engine, too.
  package func call(_ request: EngineRequest) async throws(CallFailure) -> ByteBuffer {
    let state = NIOLoopBoundBox.makeBoxSendingValue(CallState(), eventLoop: loop)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        onLoop {
          let call = link.value.call(request) { continuation.resume(returning: $0) }
          state.value.call = call
          if state.value.isCancelled { call.cancel() }
        }
      }
    } onCancel: {
      loop.execute {
        state.value.isCancelled = true
        state.value.call?.cancel()
      }
    }
    return try result.get()
  }

  /// A task's call, which may be cancelled before it has begun.
  private struct CallState {
    var call: EngineCall?
    var isCancelled = false
  }

  /// Whether the gateway could call an engine, whether one runs or not.
  package func isLive() async -> Bool {
    await withCheckedContinuation { continuation in
      onLoop { continuation.resume(returning: link.value.isLive) }
    }
  }

  /// Whether a stream could begin.
  package func hasStreams() async -> Bool {
    await withCheckedContinuation { continuation in
      onLoop { link.value.tryStream { continuation.resume(returning: $0 == nil) } }
    }
  }

  /// Runs `body` on the event loop, at once if it is called there.
  fileprivate func onLoop(_ body: @escaping @Sendable () -> Void) {
    if loop.inEventLoop { body() } else { loop.execute(body) }
  }

  package func open(_ request: EngineRequest) -> EngineExchange { EngineExchange(self, request) }
}

/// A stream to the engine for a task that sends a message and waits for its answer before it sends the next.
package final class EngineExchange: Sendable {
  /// The stream's state, used on the event loop.
  private final class State: EngineStreamReceiver {
    /// How long an answer may take.
    private static let patience = TimeAmount.seconds(30)

    private var link: EngineLink?
    private var stream: EngineStream?
    private var timer: Scheduled<Void>?
    private var unsent: [EngineMessage] = []
    private var answers: [ByteBuffer] = []
    private var end: Result<ByteBuffer?, CallFailure>?
    private var receiver: CheckedContinuation<Result<ByteBuffer?, CallFailure>, Never>?

    var hasEnded: Bool { end != nil }

    func open(_ request: EngineRequest, _ link: EngineLink) {
      self.link = link
      stream = link.open(request, self)
    }

    func send(_ message: EngineMessage) {
      unsent.append(message)
      streamHasRoom()
    }

    func next(_ continuation: CheckedContinuation<Result<ByteBuffer?, CallFailure>, Never>) {
      receiver = continuation
      timer = link?.loop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
        self?.cancel(.unanswered)
      }
      answer()
    }

    private func answer() {
      guard let result = answers.first.map({ .success($0) }) ?? end, let waiting = receiver.take() else {
        return
      }
      timer?.cancel()
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

    func cancel(_ failure: CallFailure) {
      stream?.cancel()
      streamEnded(failure)
    }
  }

  private let client: EngineClient
  private let state: NIOLoopBoundBox<State>

  fileprivate init(_ client: EngineClient, _ request: EngineRequest) {
    self.client = client
    let link = client.link
    state = .makeBoxSendingValue(State(), eventLoop: client.loop)
    let state = state
    client.onLoop { state.value.open(request, link.value) }
  }

  /// Whether the stream has ended, so that messages are not answered any more.
  package func hasEnded() async -> Bool {
    let state = state
    return await withCheckedContinuation { continuation in
      client.onLoop { continuation.resume(returning: state.value.hasEnded) }
    }
  }

  /// Sends a message that is not answered.
  package func send(_ message: EngineMessage) {
    let state = state
    client.onLoop { state.value.send(message) }
  }

  /// Sends a message and waits for its answer.
  ///
  /// - Returns: the answer; `nil` if the engine has ended the stream.
  package func exchange(_ message: EngineMessage) async throws(CallFailure) -> ByteBuffer? {
    let result = await withCheckedContinuation { continuation in
      let state = state
      client.onLoop {
        state.value.send(message)
        state.value.next(continuation)
      }
    }
    return try result.get()
  }

  package func cancel() {
    let state = state
    client.onLoop { state.value.cancel(CallFailure(.cancelled, "the stream was cancelled")) }
  }
}
