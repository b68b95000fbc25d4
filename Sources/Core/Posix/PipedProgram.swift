import CPosixShims
public import FaceCore
import Glibc

/// A child process whose output this process reads. It shares the standard error.
public final class PipedProgram: Sendable {
  public let output: InputStream
  private let input: Monitor<OutputPipe?>
  private let id: Int32
  private let state = Monitor(State.runs)

  private enum State {
    case runs
    /// `nil` if the kernel or another part of this program has collected it.
    case ended(ProcessEnd?)
  }

  /// What a program reads from its standard input.
  public enum Input: Sendable {
    case nothing
    /// The standard input of this process.
    case shared
    /// What this process writes to the pipe of `takeInput`.
    case written
  }

  /// Starts a program that is searched in PATH. Throws `notFound` if there is no such program. pipe2(2),
  /// posix_spawnp(3)
  /// - Parameter arguments: the first is its name.
  public init(_ arguments: [String], reading source: Input = .nothing) throws(Status) {
    let name = arguments.first ?? ""
    let results = try Pipe(for: name)
    let words = source == .written ? try Pipe(for: name) : nil

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    switch words {
    case .some(let words): posix_spawn_file_actions_adddup2(&actions, words.readingEnd.raw, STDIN_FILENO)
    case nil where source == .nothing:
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    case nil: break
    }
    posix_spawn_file_actions_adddup2(&actions, results.writingEnd.raw, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // Signals that this program blocks or ignores get their defaults in the child.
    var (none, usual) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&usual)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGXFSZ] { sigaddset(&usual, signal) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.cPath) }
    pointers.append(nil)
    var id: pid_t = 0
    let code = posix_spawnp(&id, name.cPath, &actions, &attributes, pointers, environ)
    pointers.forEach { free($0) }
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    guard code == 0 else {
      throw SystemError(call: "posix_spawnp", code: code).status("cannot run \(name)")
    }
    self.id = id
    output = results.reader("the output of \(name)")
    input = Monitor(words?.writer())
  }

  /// Returns the pipe in which the program's input is written, once; `nil` unless it is `written`.
  public func takeInput() -> OutputPipe? { input.withLock { $0.take() } }

  /// Returns how the program has ended; `nil` if that is unknown. To be called at the end of its output: waits a
  /// limited time for the program to end as well. waitpid(2)
  public func end() -> ProcessEnd? {
    let patience = MonotonicTime.now() + .seconds(10)
    while MonotonicTime.now() < patience {
      if case .ended(let end) = state(WNOHANG) { return end }
      CurrentProcess.sleep(for: .milliseconds(5))
    }
    return nil
  }

  private func state(_ options: Int32) -> State {
    state.withLock { state in
      if case .runs = state {
        var status: Int32 = 0
        let found = waitpid(id, &status, options)
        if found == id { state = .ended(ProcessEnd(status: status)) }
        if found == -1, errno != EINTR { state = .ended(nil) }
      }
      return state
    }
  }

  /// Ends the program if it still runs. kill(2)
  deinit {
    guard case .runs = state(WNOHANG) else { return }
    kill(id, SIGKILL)
    while case .runs = state(0) {}
  }
}

/// The end of a pipe that a program reads. Closed when this object is released, which ends the program's input.
public final class OutputPipe: Sendable {
  private let descriptor: Descriptor

  fileprivate init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Writes all of `bytes`, waiting for the reader if need be. For processes that ignore SIGPIPE. write(2)
  /// - Returns: `false` when it cannot, as without a reader.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    (try? File.write(bytes, to: descriptor)) != nil
  }
}

/// A pipe, both of whose ends are closed with it unless they are taken. pipe2(2)
private struct Pipe: ~Copyable {
  let readingEnd: Descriptor
  let writingEnd: Descriptor

  init(for name: String) throws(Status) {
    var ends: [Int32] = [-1, -1]
    _ = try system("pipe2", "cannot run \(name)") { face_posix_pipe(&ends) }
    readingEnd = Descriptor(owning: ends[0])
    writingEnd = Descriptor(owning: ends[1])
  }

  consuming func reader(_ name: String) -> InputStream { InputStream(readingEnd, name) }

  consuming func writer() -> OutputPipe { OutputPipe(writingEnd) }
}
