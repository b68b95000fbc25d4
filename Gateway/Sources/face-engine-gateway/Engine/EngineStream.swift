import FaceCore
import NIOCore

/// A stream of messages to and from the engine. Lives on the event loop of its connection.
///
/// The engine gives credit for frames that may be unanswered; here a frame counts until its answer was delivered to the
/// client, so that a client that does not read stops its own frames, and no more answers are held than there is credit for.
actor EngineStream {
  /// Unanswered frames of a stream whose engine drops frames rather than giving credit.
  private static let creditWithoutLimit = 4

  nonisolated let loop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  private let connection: EngineConnection
  private var number: UInt32?
  private var sentCount = 0
  private var credit = 0
  private var knowsMode = false
  private var undelivered = 0
  private var sender: CheckedContinuation<Void, Never>?
  private var answers: [ByteBuffer] = []
  private var receiver: CheckedContinuation<Void, Never>?
  private var isEnded = false
  private var failure: CallFailure?

  private init(_ connection: EngineConnection) {
    self.connection = connection
    loop = connection.loop
  }

  static func open(
    _ request: EngineRequest, on connection: EngineConnection
  ) throws(CallFailure) -> EngineStream {
    let stream = EngineStream(connection)
    let number = connection.assumeIsolated { connection in
      Result { () throws(CallFailure) in try connection.open(request, stream) }
    }
    let opened = try number.get()
    stream.assumeIsolated { $0.number = opened }
    return stream
  }

  // MARK: To the engine

  /// Sends a message when the engine has room for it. Throws why the stream has ended, if it has.
  func send(_ message: ByteBuffer) async throws(CallFailure) {
    if sentCount == 1 {
      // Whether frames need credit is the start's to say, which is not opened here: by its PONG the engine has given
      // credit or never will.
      while !isEnded, !knowsMode { await waitForChange() }
    }
    if sentCount > 0 {
      while !isEnded, undelivered >= credit { await waitForChange() }
      undelivered += 1
    }
    guard !isEnded, let number else {
      throw failure ?? CallFailure(.failedPrecondition, "the stream has ended; open another one")
    }
    sentCount += 1
    let isFirst = sentCount == 1
    try await connection.send(message, on: number)
    if isFirst { await connection.ping(number) }
  }

  private func waitForChange() async {
    await withCheckedContinuation { sender = $0 }
  }

  /// No more messages come.
  func finish() {
    if !isEnded, let number { connection.assumeIsolated { $0.finish(number) } }
  }

  /// Cancels it, for a reason that its receiver gets.
  func end(_ reason: CallFailure) {
    cancelNow()
    ended(reason)
  }

  nonisolated func cancel() {
    loop.execute { self.assumeIsolated { $0.cancelNow() } }
  }

  private func cancelNow() {
    if !isEnded, let number { connection.assumeIsolated { $0.cancel(number) } }
  }

  // MARK: From the engine

  /// The next answer, `nil` when the stream came to its proper end. Throws why it ended otherwise.
  func next() async throws(CallFailure) -> ByteBuffer? {
    while answers.isEmpty {
      if isEnded {
        if let failure { throw failure }
        return nil
      }
      await withCheckedContinuation { receiver = $0 }
    }
    return answers.removeFirst()
  }

  /// The client has taken an answer.
  func delivered() {
    undelivered = max(0, undelivered - 1)
    wakeSender()
  }

  func received(_ message: ByteBuffer) {
    answers.append(message)
    receiver.take()?.resume()
  }

  func received(credit more: Int) {
    credit += more
    wakeSender()
  }

  /// All that the engine says to the start has been received.
  func learntMode() {
    knowsMode = true
    if credit == 0 { credit = Self.creditWithoutLimit }
    wakeSender()
  }

  func ended(_ failure: CallFailure?) {
    if isEnded { return }
    isEnded = true
    self.failure = failure
    receiver.take()?.resume()
    wakeSender()
  }

  private func wakeSender() { sender.take()?.resume() }
}
