import FaceCore
import Posix

/// Starts and kills decoders, through processes that fork them, and replaces such a process when it is lost. Safe to
/// use from any thread.
///
/// One thread reads all responses. A decoder is for any call that waits for one of its kind: a response that comes
/// late, or to another call, is used or dropped, and is never taken for that to another request.
final class DecoderFactory: Sendable {
  /// What replaces a process that forks.
  enum Replacement: Sendable {
    /// A copy of the other one: there are two, because this process is in a sandbox and can start none itself.
    case copy
    /// The program, started again by this process.
    case program(@Sendable () throws(Status) -> UnixSocket)
  }

  private struct State {
    /// The processes that fork, which new decoders are requested of in this order.
    var forkers: [Forker]
    var waiting: [PictureKind: Int] = [:]
    var results: [PictureKind: [Result<DecoderProcess, Status>]] = [:]
    /// The decoders whose ends calls wait to learn.
    var ended: [DecoderProcess] = []
    /// Ticks so far.
    var ticks = 0
    /// Programs in a row that ended before they answered.
    var failedStarts = 0
    var nextReplacement = MonotonicTime(nanoseconds: 0)
    /// Whether a thread reads responses.
    var isRead = false
    var isStopped = false
    /// What has happened and was not reported yet.
    var events: [DecoderEvent] = []
    var onEvent: (@Sendable (DecoderEvent) -> Void)?

    var isAwaited: Bool { !waiting.isEmpty || forkers.contains { $0.unanswered > 0 } }
    /// The process to ask next; `nil` if none answers.
    var usable: Forker? { forkers.first { $0.silence < DecoderFactory.lateTicks } }

    /// The process that has forked a decoder; `nil` if it is lost.
    func parent(of process: DecoderProcess) -> Forker? { forkers.first { $0.channel === process.parent } }

    mutating func fail(_ failure: Status) {
      results = waiting.mapValues { Array(repeating: .failure(failure), count: $0) }
    }
  }

  /// The length of a tick. What does not answer is noticed by ticks of the thread that reads, and not by a clock, so
  /// that time in which the whole machine or this process was stopped does not count.
  private static let tick: TimeSpan = .milliseconds(100)
  /// Ticks without a response after which to ask another process.
  private static let lateTicks = 5
  /// The same, of all processes, after which nothing can be decoded.
  private static let failureTicks = 20
  /// The same, after which a process is given up if another one answers; and if none does, the calls that wait.
  private static let lossTicks = 50
  /// The time between two replacements, and after one that failed.
  private static let (replacementTime, retryTime): (TimeSpan, TimeSpan) = (.milliseconds(10), .seconds(1))
  /// Programs that end without an answer, after which the calls that wait fail.
  private static let mostFailedStarts = 3
  /// The time between two checks of a call's token.
  private static let step: TimeSpan = .milliseconds(2)

  private let state: Monitor<State>
  private let changed = Condition()
  private let wakeup: Wakeup
  private let replacement: Replacement
  /// The advice for a picture that no decoder takes: a kind that is decoded without one, if there is such a kind.
  let alternative: StaticString

  /// - Parameters:
  ///   - socket: leads to the first process that forks.
  ///   - takesAllKinds: whether JPEG and PNG are decoded by decoders, too.
  init(_ socket: consuming UnixSocket, _ replacement: Replacement, takesAllKinds: Bool) throws(Status) {
    wakeup = try Wakeup()
    self.replacement = replacement
    let first = Forker(PacketChannel(socket))
    // Read later, by the thread: this process may have to stay without one for now.
    if case .copy = replacement { _ = first.ask(.copy) }
    state = Monitor(State(forkers: [first]))
    alternative = takesAllKinds ? "" : ", or send a JPEG or PNG"
  }

  /// Starts a decoder of pictures of `kind`. Throws `unavailable` if no process is there to do it, `resourceExhausted`
  /// if it cannot, and the token's error.
  func start(_ kind: PictureKind, _ token: CancellationToken?) throws(Status) -> DecoderProcess {
    let begun = state.withLock { state in
      state.waiting[kind, default: 0] += 1
      return state.ticks
    }
    defer { leave(kind) }
    var asked: Forker?
    var isTold = false
    while true {
      try startReading()
      try token?.check()
      let soon = token == nil ? .never : MonotonicTime.now() + Self.step
      let result = state.wait(for: changed, until: soon) { state in
        if let result = state.results[kind]?.popLast() { return result }
        // After a long silence an answer may still be on its way.
        let hasWaited = isOver(state) || state.ticks - begun >= Self.failureTicks
        if hasWaited, let failure = failure(state, after: Self.lossTicks) { return .failure(failure) }
        let usable = state.usable
        if asked !== usable || asked?.unanswered == 0 {
          asked = usable?.ask(.fork, kind) == true ? usable : nil
          isTold = asked == nil && isTold
        }
        if !isTold { wakeup.signal() }
        isTold = true
        return nil
      }
      if let result { return try result.get() }
    }
  }

  /// Ends the wait of a call. A decoder that comes for it later ends when its socket is closed.
  private func leave(_ kind: PictureKind) {
    state.withLock { state in
      let left = (state.waiting[kind] ?? 1) - 1
      state.waiting[kind] = left > 0 ? left : nil
      state.results[kind] = state.results[kind].map { Array($0.suffix(left)) }
    }
  }

  func kill(_ process: DecoderProcess) {
    state.withLock { _ in
      _ = try? process.parent.send(ForkRequest(operation: .kill, id: process.id), until: .now())
    }
  }

  /// How a decoder has ended, which is killed if it has not; `nil` if the process that forked it does not tell. Throws
  /// the token's error.
  func end(of process: DecoderProcess, _ token: CancellationToken?) throws(Status) -> ProcessEnd? {
    let isAsked = state.withLock { state in
      guard state.parent(of: process)?.ask(.end, id: process.id) == true else { return false }
      state.ended.append(process)
      return true
    }
    guard isAsked else { return nil }
    defer { state.withLock { state in state.ended.removeAll { $0 === process } } }
    wakeup.signal()
    while true {
      try startReading()
      try token?.check()
      let soon = token == nil ? .never : MonotonicTime.now() + Self.step
      let end = state.wait(for: changed, until: soon) { state -> ProcessEnd?? in
        guard state.ended.contains(where: { $0 === process }) else { return .some(process.end) }
        let isLost = state.parent(of: process) == nil || failure(state, after: Self.failureTicks) != nil
        return isLost ? .some(nil) : nil
      }
      if let end { return end }
    }
  }

  /// The reason why no decoder can be started now; `nil` while one can.
  var failure: Status? { state.withLock { failure($0, after: Self.failureTicks) } }

  private func failure(_ state: State, after ticks: Int) -> Status? {
    if isOver(state) {
      return Status(
        .unavailable,
        "every process that starts decoders has ended; restart this program\(alternative)"
      )
    }
    guard !state.forkers.isEmpty, state.forkers.allSatisfy({ $0.silence >= ticks }) else { return nil }
    return Status(.unavailable, "decoders cannot be started; try again later\(alternative)")
  }

  func probe() {
    state.withLock { state in
      for forker in state.forkers where forker.unanswered == 0 { _ = forker.ask(.answer) }
    }
    wakeup.signal()
  }

  /// Reports what happens, and replaces what is lost, from now on also while no decoder is needed.
  func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) throws(Status) {
    state.withLock { $0.onEvent = handler }
    try startReading()
  }

  /// Ends the thread soon.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeup.signal()
  }

  // MARK: The thread

  private func startReading() throws(Status) {
    let isNew = state.withLock { state in
      defer { state.isRead = true }
      return !state.isRead && !isOver(state)
    }
    guard isNew else { return }
    do throws(Status) {
      _ = try Thread(name: "face-forkers", blockingSignals: true) { self.read() }
    } catch {
      state.withLock { $0.isRead = false }
      // Calls that relied on this thread try to start one themselves.
      changed.wakeAll()
      throw error
    }
  }

  /// Reads responses while some are awaited, or events are.
  private func read() {
    var nextTick = MonotonicTime.now() + Self.tick
    while true {
      let (descriptors, isAwaited, needsMore) = state.withLock { state in
        (state.forkers.map(\.channel.pollableDescriptor), state.isAwaited, needsReplacement(state))
      }
      // Ticks begin with the wait.
      if !isAwaited { nextTick = MonotonicTime.now() + Self.tick }
      let replacementTime = needsMore ? state.withLock { $0.nextReplacement } : .never
      wakeup.wait(or: descriptors, until: min(isAwaited ? nextTick : .never, replacementTime))
      let isTick = isAwaited && nextTick.isPast
      if isTick { nextTick = MonotonicTime.now() + Self.tick }
      let (events, handler, isEnd) = state.withLock { state in
        let events = update(&state, isTick)
        let isEnd = isOver(state) || state.isStopped || !state.isAwaited && state.onEvent == nil
        state.isRead = !isEnd
        return (events, state.onEvent, isEnd)
      }
      for event in events { handler?(event) }
      if !isEnd { startProgramIfNeeded() }
      changed.wakeAll()
      if isEnd { return }
    }
  }

  private func update(_ state: inout State, _ isTick: Bool) -> [DecoderEvent] {
    let failureBefore = failure(state, after: Self.failureTicks)
    for forker in state.forkers { receive(from: forker, &state) }
    if isTick { countTick(&state) }
    if needsReplacement(state), case .copy = replacement, state.nextReplacement.isPast {
      _ = state.usable?.ask(.copy)
      state.nextReplacement = MonotonicTime.now() + Self.replacementTime
    }
    if failure(state, after: Self.failureTicks) != failureBefore { state.events.append(.failureChanged) }
    defer { state.events = [] }
    return state.events
  }

  private func receive(from forker: Forker, _ state: inout State) {
    while true {
      switch forker.response() {
      case .nothing: return
      case .ended: return lose(forker, &state)
      case .value(let response, let reason):
        state.failedStarts = 0
        let channel = forker.channel.takeChannel()
        switch response.operation {
        case .fork: deliver(response, reason, channel, of: forker, &state)
        case .copy:
          if let channel {
            state.forkers.append(Forker(channel))
          } else {
            state.nextReplacement = MonotonicTime.now() + Self.retryTime
          }
        case .end:
          let place = state.ended.firstIndex { $0.parent === forker.channel && $0.id == response.id }
          if let place { state.ended.remove(at: place).end = response.end }
        case .kill, .answer, nil: break
        }
      }
    }
  }

  /// Gives a decoder, or the reason why there is none, to a call that waits for it, if any does.
  private func deliver(
    _ response: ForkResponse, _ reason: String, _ channel: PacketChannel?, of parent: Forker,
    _ state: inout State
  ) {
    guard let kind = response.kind, state.results[kind, default: []].count < state.waiting[kind, default: 0]
    else {
      return
    }
    let result: Result<DecoderProcess, Status>
    if let channel {
      result = .success(DecoderProcess(id: response.id, channel, parent: parent.channel))
    } else {
      result = .failure(
        Status(
          .resourceExhausted,
          response.id > 0
            ? "no descriptor is left for the decoder of the \(kind.name); close files, or raise the limit (ulimit -n)"
            : "no process, or no memory for one, to decode the \(kind.name) (\(reason)); try again later"))
    }
    state.results[kind, default: []].append(result)
  }

  private func countTick(_ state: inout State) {
    state.ticks += 1
    for forker in state.forkers { forker.tick() }
    guard state.forkers.contains(where: { $0.silence >= Self.lateTicks }) else { return }
    // Whether the others answer decides what is lost.
    for forker in state.forkers where forker.unanswered == 0 { _ = forker.ask(.answer) }
    guard state.forkers.contains(where: { $0.silence == 0 }) else { return }
    for forker in state.forkers where forker.silence >= Self.lossTicks { lose(forker, &state) }
  }

  /// Gives up a process: where it still runs, it ends with its decoders as soon as it sees the end of its channel.
  private func lose(_ forker: Forker, _ state: inout State) {
    forker.channel.shutDown()
    state.forkers.removeAll { $0 === forker }
    state.events.append(isOver(state) ? .ended : .replaced)
    guard !forker.hasAnswered else { return }
    state.failedStarts += 1
    guard state.failedStarts >= Self.mostFailedStarts else { return }
    state.failedStarts = 0
    state.fail(
      Status(
        .unavailable,
        "the program that starts decoders ended \(Self.mostFailedStarts) times before it answered; install face-engine in the version of this "
          + "library, or try again later"))
  }

  /// Whether nothing will be decoded any more.
  private func isOver(_ state: State) -> Bool {
    if case .copy = replacement { state.forkers.isEmpty } else { false }
  }

  private func needsReplacement(_ state: State) -> Bool {
    switch replacement {
    case .copy: state.forkers.count == 1 && state.usable?.isCopying == false
    case .program: state.forkers.count < 2 && state.usable == nil && !state.waiting.isEmpty
    }
  }

  /// Starts the program without the lock, since that takes some milliseconds.
  private func startProgramIfNeeded() {
    let isNeeded = state.withLock { needsReplacement($0) && $0.nextReplacement.isPast }
    guard isNeeded, case .program(let start) = replacement else { return }
    let started = Result { () throws(Status) in Forker(PacketChannel(try start())) }
    state.withLock { state in
      state.nextReplacement = MonotonicTime.now() + Self.replacementTime
      switch started {
      case .success(let forker): state.forkers.append(forker)
      case .failure(let error):
        let code: StatusCode = error.code == .resourceExhausted ? error.code : .unavailable
        state.fail(Status(code, "cannot start decoders: \(error.message)"))
      }
    }
  }
}
