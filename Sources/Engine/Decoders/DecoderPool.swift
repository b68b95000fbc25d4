public import FaceCore
import Posix

/// Decodes picture files in processes that can be killed. A process decodes pictures of one kind, for one
/// user and no other. Safe to use from any thread.
public final class DecoderPool: FileDecoders {
  /// The pictures that a process decodes.
  struct Key: Hashable {
    let user: UInt32
    let kind: PictureKind
  }

  private struct State {
    /// The processes that wait for the next call of their user, the oldest first.
    var idle: [(key: Key, process: DecoderProcess, since: MonotonicTime)] = []
    /// Whether a thread looks after the idle processes.
    var isWatched = false
    var counts = DecoderCounts()
    var onEvent: @Sendable (DecoderEvent) -> Void = { _ in }
  }

  private static let mostIdle = 8
  /// The most bytes of memory that idle processes keep for their next calls.
  private let mostIdleBytes = ControlGroups.memoryLimit / 16
  /// The time after which a process that had no call is ended.
  private static let idleTime: TimeSpan = .seconds(2)

  private let factory: DecoderFactory
  private let takesAllKinds: Bool
  private let state = Monitor(State())
  /// The process that may use it.
  private let owner = CurrentProcess.id

  private init(
    _ socket: consuming UnixSocket, _ replacement: DecoderFactory.Replacement, takesAllKinds: Bool
  ) throws(Status) {
    factory = try DecoderFactory(socket, replacement, takesAllKinds: takesAllKinds)
    self.takesAllKinds = takesAllKinds
  }

  deinit {
    // A fork has no thread to end, and that of its parent may have held the lock.
    if CurrentProcess.id == owner { factory.stop() }
  }

  /// Starts a program that forks decoders.
  /// - Parameters:
  ///   - program: the path of `face-engine`.
  ///   - takesAllKinds: whether JPEG and PNG are decoded by them, too.
  ///   - isRestricted: whether the processes enter their sandboxes.
  ///   - isDetached: whether no process becomes a child of this one, which may collect its children itself.
  ///   - startsAgain: whether this process may start the program again when it is lost. One that is about to enter its
  ///     sandbox may not: it has two processes that fork, and each can replace the other.
  ///   - patience: how long a program that `isDetached` may take to detach itself. Throws `unavailable` after that.
  public convenience init(
    program: String, takesAllKinds: Bool = false, isRestricted: Bool = true, isDetached: Bool = false,
    startsAgain: Bool = false, patience: TimeSpan = .seconds(10)
  ) throws(Status) {
    var arguments = ["face-engine", "decoder"]
    if !isRestricted { arguments += ["--sandbox", "off"] }
    if isDetached { arguments.append("--detached") }
    let start = { @Sendable [arguments] () throws(Status) -> UnixSocket in
      try ChildProcess.start(program, arguments, endsWithin: isDetached ? patience : nil)
    }
    let socket = try start()
    // A program that has ended, but for a copy that does not listen, is something else.
    guard !isDetached || !socket.isAbandoned else {
      throw Status(
        .failedPrecondition,
        "\(program) starts no decoders; install face-engine in the version of this library")
    }
    try self.init(socket, startsAgain ? .program(start) : .copy, takesAllKinds: takesAllKinds)
  }

  /// Has a copy of this process, which must have one thread, fork decoders: it is there sooner than a program,
  /// but has this process's layout of memory.
  public static func ofThisProcess(
    takesAllKinds: Bool, isRestricted: Bool
  ) throws(Status) -> DecoderPool {
    let socket = try ChildProcess.startCopy { socket in
      try? DecoderForker.serve(socket, isRestricted: isRestricted)
      CurrentProcess.exitAtOnce(1)
    }
    return try DecoderPool(socket, .copy, takesAllKinds: takesAllKinds)
  }

  public var counts: DecoderCounts { state.withLock { $0.counts } }

  public var failure: Status? { factory.failure }

  public func probe() { factory.probe() }

  /// Starts a decoder, which ends at once. Afterwards there are two processes that fork, unless memory or processes
  /// lack.
  ///
  /// Throws as `FileDecoder.open` without a decoder, and `deadlineExceeded`.
  public func test(_ token: CancellationToken) throws(Status) { _ = try factory.start(.jpeg, token) }

  public func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) throws(Status) {
    state.withLock { $0.onEvent = handler }
    try factory.watch(handler)
  }

  public func decoder(for user: UInt32) -> any FileDecoder {
    UserDecoder(pool: self, user: user, takesAllKinds: takesAllKinds)
  }

  private struct UserDecoder: FileDecoder {
    let pool: DecoderPool
    let user: UInt32
    let takesAllKinds: Bool

    func open(
      _ file: UnsafeRawBufferPointer, _ kind: PictureKind, _ token: CancellationToken?
    ) throws(Status) -> any OpenedFile {
      try DecoderFile(file, pool, Key(user: user, kind: kind), token)
    }
  }

  /// Lends a process that is idle; `nil` if there is none. Throws `failedPrecondition` in a fork of the process that
  /// owns this, since both would take each other's responses.
  func reuse(_ key: Key) throws(Status) -> DecoderProcess? {
    guard CurrentProcess.id == owner else {
      throw Status(
        .failedPrecondition,
        "the decoders belong to the process that loaded the model; load the model again in this process"
          + "\(factory.alternative)")
    }
    return state.withLock { state in
      while let place = state.idle.lastIndex(where: { $0.key == key }) {
        let process = state.idle.remove(at: place).process
        if process.isReusable {
          state.counts.busy += 1
          return process
        }
      }
      return nil
    }
  }

  /// Lends a new process.
  func start(_ key: Key, _ token: CancellationToken?) throws(Status) -> DecoderProcess {
    let process = try factory.start(key.kind, token)
    state.withLock { $0.counts.busy += 1 }
    return process
  }

  /// Takes back a process that has answered all requests.
  func finish(_ process: DecoderProcess, _ key: Key) {
    // What is removed closes its socket, and the process ends. Not under the lock: freeing memory takes time.
    let (isNew, ended) = state.withLock { state in
      state.counts.busy -= 1
      if process.isReusable { state.idle.append((key, process, .now())) }
      var idleBytes = state.idle.reduce(0) { $0 + $1.process.keptBytes }
      var ended: [DecoderProcess] = []
      while state.idle.count > Self.mostIdle || idleBytes > mostIdleBytes {
        ended.append(state.idle.removeFirst().process)
        idleBytes -= ended.last?.keptBytes ?? 0
      }
      defer { state.isWatched = true }
      return (!state.isWatched, ended)
    }
    withExtendedLifetime(ended) {}
    if isNew, (try? Thread(name: "face-decoders", blockingSignals: true) { self.endIdle() }) == nil {
      state.withLock { $0.isWatched = false }
    }
  }

  /// Ends processes that had no call for some time, until there is none.
  private func endIdle() {
    while true {
      let next = state.withLock { state -> MonotonicTime? in
        let now = MonotonicTime.now()
        state.idle.removeAll { $0.since + Self.idleTime <= now }
        if state.idle.isEmpty { state.isWatched = false }
        return state.idle.first.map { $0.since + Self.idleTime }
      }
      guard let next else { return }
      CurrentProcess.sleep(for: next - MonotonicTime.now())
    }
  }

  /// Kills a process whose call is over.
  func kill(_ process: DecoderProcess) {
    factory.kill(process)
    state.withLock { state in
      state.counts.busy -= 1
      state.counts.killed += 1
    }
  }

  /// Counts a process that ended while it had a file, and returns if another one may read the file. Throws what the end
  /// means for the call, and the token's error.
  /// - Parameter hasLostProcess: whether the file has lost a process before, which it may do once.
  func lose(
    _ process: DecoderProcess, _ key: Key, _ hasLostProcess: inout Bool, _ token: CancellationToken?
  ) throws(Status) {
    let end: ProcessEnd?
    do throws(Status) {
      end = try factory.end(of: process, token)
    } catch {
      forget(process)
      throw error
    }
    if let end, end.cause != .done {
      let onEvent = state.withLock { state in
        state.counts.lost += 1
        return state.onEvent
      }
      onEvent(.lost(key.kind, user: key.user, end: end.description))
    }
    forget(process)
    // It ended with its parent.
    if process.isOrphan { return }
    let loss = DecoderLoss(end, key.kind)
    guard loss.isPassing, !hasLostProcess else { throw loss.status }
    hasLostProcess = true
  }

  /// Counts a process that ended while it was idle, or whose end was counted.
  func forget(_ process: DecoderProcess) { state.withLock { $0.counts.busy -= 1 } }
}
