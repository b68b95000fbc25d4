import Dispatch
import Foundation
import Synchronization

/// A program that a test has started.
///
/// It leads a session of its own, inherits three standard streams and no other descriptor of the tests, and
/// has a time limit. Processes that it started and left behind are killed when it ends, and all of it is
/// killed when its time is up or its owner is gone: nothing that outlives a test can delay or disturb another
/// one. It is also killed when the tests are.
final class ChildProcess: Sendable {
  struct CannotStart: Error, CustomStringConvertible {
    let description: String
  }

  /// The error of `wait` for a program that was killed because its time was up.
  struct ExceededTimeLimit: Error, CustomStringConvertible {
    let description: String
  }

  /// Much longer than any program takes on a busy machine: the limit only keeps tests from waiting forever.
  static let timeLimit = Duration.seconds(600)

  private struct State {
    /// The value that `wait` returns; `nil` while the program runs or processes that it left behind are being
    /// killed.
    var status: Int32?
    var hasExceededTimeLimit = false
  }

  /// The id of the program, its process group and its session.
  let id: pid_t
  private let commandLine: [String]
  private let timeLimit: Duration
  private let said: @Sendable () -> String
  private let shared: Shared

  /// The state that the threads watching the program share, so that they do not keep its owner alive.
  private final class Shared: Sendable {
    let id: pid_t
    let state = Mutex(State())
    let ended = DispatchGroup()

    init(_ id: pid_t) {
      self.id = id
      ended.enter()
    }

    /// Waits for the program's end. The process is reaped only afterwards, so that its number is not given to
    /// another process while signals are sent to it. waitid(2)
    func awaitEnd() {
      var information = siginfo_t()
      while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
      state.withLock { state in
        ChildProcess.killSession(id)
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7f
        state.status = signal == 0 ? status >> 8 & 0xff : -signal
      }
      ended.leave()
    }

    func awaitEnd(within limit: Duration) {
      let nanoseconds = Int(limit / .nanoseconds(1))
      guard ended.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut else { return }
      state.withLock { state in
        guard state.status == nil else { return }
        state.hasExceededTimeLimit = true
        ChildProcess.killSession(id)
      }
    }
  }

  /// - Parameters:
  ///   - commandLine: the program, looked up in PATH if it has no slash, and its arguments.
  ///   - environment: variables added to those of the tests.
  ///   - folder: the working directory.
  ///   - input, output, errors: the standard streams; `nil` for /dev/null.
  ///   - said: returns its output so far, for the message when its time is up.
  init(
    _ commandLine: [String], environment: [String: String] = [:], in folder: String = Checkout.root.path,
    input: FileHandle?, output: FileHandle?, errors: FileHandle?,
    timeLimit: Duration = ChildProcess.timeLimit, said: @escaping @Sendable () -> String
  ) throws {
    self.commandLine = commandLine
    self.timeLimit = timeLimit
    self.said = said
    let spawn = try Spawn(
      folder: folder, streams: [input, output, errors].map { $0?.fileDescriptor })
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    shared = try Self.start(spawn, commandLine, variables.map { "\($0)=\($1)" })
    id = shared.id
    Thread.detachNewThread { [shared] in shared.awaitEnd(within: timeLimit) }
  }

  /// The thread that starts the program also waits for its end: the kernel takes the end of that thread for
  /// the end of the program's parent. prctl(2), PR_SET_PDEATHSIG
  private static func start(
    _ spawn: Spawn, _ commandLine: [String], _ environment: [String]
  ) throws -> Shared {
    let outcome = Outcome()
    Thread.detachNewThread {
      let result = Result {
        // setpriv(1) looks up the program in its own folder and PATH.
        Shared(try spawn.start(["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] + commandLine, environment))
      }
      outcome.result.withLock { $0 = result }
      outcome.isKnown.signal()
      try? result.get().awaitEnd()
    }
    outcome.isKnown.wait()
    return try outcome.result.withLock { try $0.get() }
  }

  private final class Outcome: Sendable {
    let result = Mutex<Result<Shared, any Error>>(.failure(CannotStart(description: "it was not tried")))
    let isKnown = DispatchSemaphore(value: 0)
  }

  deinit {
    signal(SIGKILL)
    shared.ended.wait()
  }

  var isRunning: Bool { shared.state.withLock { $0.status == nil } }

  /// Sends a signal to the program alone, unless it has ended.
  func signal(_ signal: Int32) {
    shared.state.withLock { state in
      if state.status == nil { kill(id, signal) }
    }
  }

  /// Waits for the end: the exit status, or minus the signal that ended it. Throws if its time was up.
  func wait() throws(ExceededTimeLimit) -> Int32 {
    shared.ended.wait()
    let (status, exceeded) = shared.state.withLock { ($0.status ?? -SIGKILL, $0.hasExceededTimeLimit) }
    if exceeded {
      throw ExceededTimeLimit(
        description:
          "\(commandLine.joined(separator: " ")) had not ended after \(timeLimit) and was killed; it said: "
          + said())
    }
    return status
  }

  /// Throws if the program was killed because its time was up.
  func checkTimeLimit() throws(ExceededTimeLimit) {
    if shared.state.withLock({ $0.hasExceededTimeLimit }) { _ = try wait() }
  }

  /// Kills the session: the program's process group, and groups made by programs such as timeout(1).
  private static func killSession(_ id: pid_t) {
    kill(-id, SIGKILL)
    // A process that was just being forked is seen in the next round.
    for _ in 0..<10 {
      let others = processes(inSession: id)
      if others.isEmpty { return }
      for other in others { kill(other, SIGKILL) }
    }
  }

  /// The session's processes except its leader and dead ones. proc_pid_stat(5)
  private static func processes(inSession session: pid_t) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(pid_t.init).filter { process in
      guard process != session,
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        // After the name, which may contain anything: state, parent, group, session.
        let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 3
      else { return false }
      return fields[0] != "Z" && fields[3] == "\(session)"
    }
  }
}

/// The start of a process: posix_spawn(3) with options that Foundation's `Process` lacks. One thread at a
/// time uses it.
private final class Spawn: @unchecked Sendable {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()

  /// Functions of glibc 2.34 that its module leaves out.
  private typealias AddClose =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias AddFolder =
    @convention(c) (
      UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
    ) -> Int32

  init(folder: String, streams: [Int32?]) throws {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    guard let addClose = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
      let addFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
    else {
      throw ChildProcess.CannotStart(description: "the C library is older than glibc 2.34")
    }
    try check(unsafeBitCast(addFolder, to: AddFolder.self)(&actions, folder))
    for (number, stream) in streams.enumerated() {
      try check(
        stream.map { posix_spawn_file_actions_adddup2(&actions, $0, Int32(number)) }
          ?? posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0))
    }
    try check(unsafeBitCast(addClose, to: AddClose.self)(&actions, Int32(streams.count)))
    // No signal is blocked, and none is handled as in the tests. Swift does not import the macro for the
    // session, either.
    let newSession: Int32 = 0x80
    let flags = newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
    var signals = sigset_t()
    sigemptyset(&signals)
    try check(posix_spawnattr_setsigmask(&attributes, &signals))
    sigfillset(&signals)
    try check(posix_spawnattr_setsigdefault(&attributes, &signals))
  }

  deinit {
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
  }

  func start(_ commandLine: [String], _ environment: [String]) throws -> pid_t {
    let arguments = commandLine.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    try check(posix_spawn(&id, commandLine[0], &actions, &attributes, arguments, variables))
    return id
  }

  private func check(_ result: Int32) throws {
    if result != 0 { throw ChildProcess.CannotStart(description: String(cString: strerror(result))) }
  }
}

/// The children of a process.
func children(of id: pid_t) -> [pid_t] {
  let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return all.compactMap { pid_t($0) }.filter { child in
    guard let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8) else {
      return false
    }
    return status.contains("PPid:\t\(id)\n")
  }
}
