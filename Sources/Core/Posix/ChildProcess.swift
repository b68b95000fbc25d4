import CPosixShims
public import FaceCore
import Glibc

/// Processes that are started to run untrusted code: what their parent does, and what they do with themselves.
public enum ChildProcess {
  /// The number of the socket that `start` passes.
  private static let socket: Int32 = 3

  /// Starts a program with the default handling of signals, with standard error but without input and output.
  /// posix_spawn(3)
  /// - Parameters:
  ///   - path: the file of the program.
  ///   - arguments: the first is its name.
  ///   - patience: how long to wait for the end of a program whose copy keeps running; `nil` for other programs.
  /// - Returns: a socket to the program, which takes the other end by `inheritedSocket`. When it is closed, the
  ///   program is to end.
  public static func start(
    _ path: String, _ arguments: [String], endsWithin patience: TimeSpan? = nil
  ) throws(Status) -> UnixSocket {
    let pair = try UnixSocket.packetPair()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pair.second.descriptor.raw, socket)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.cPath) }
    pointers.append(nil)
    var id: pid_t = 0
    let code = posix_spawn(&id, path.cPath, &actions, &attributes, pointers, environ)
    pointers.forEach { free($0) }
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    guard code == 0 else {
      var status = SystemError(call: "posix_spawn", code: code).status("cannot run \(path)")
      status.message += "; install face-engine again"
      throw status
    }
    if let patience { try awaitEnd(of: id, path, patience) }
    return pair.first
  }

  /// Starts a copy of this process, with standard error but without input and output, and without other
  /// descriptors. To be called by a process with one thread. fork(2)
  /// - Parameter body: what the copy does with its socket.
  /// - Returns: a socket to the copy.
  public static func startCopy(_ body: (consuming UnixSocket) -> Never) throws(Status) -> UnixSocket {
    let pair = try UnixSocket.packetPair()
    if try copy() != nil { return pair.first }
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    let null = face_posix_open("/dev/null", O_RDWR, 0)
    dup2(null, STDIN_FILENO)
    dup2(null, STDOUT_FILENO)
    // A parent that ignores it has its children collected by the kernel.
    signal(SIGCHLD, SIG_DFL)
    body(keepingOnly(pair.second))
  }

  /// Takes the socket that `start` passed, and closes every other descriptor but the standard ones.
  /// Throws `failedPrecondition` if there is none.
  public static func inheritedSocket() throws(Status) -> UnixSocket {
    face_posix_close_from(socket + 1)
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
      throw Status(.failedPrecondition, "only an engine runs this command; do not run it by hand")
    }
    _ = face_posix_set_close_on_exec(socket)
    return UnixSocket(Descriptor(owning: socket))
  }

  /// Ignores the signals by which a terminal or a service manager ends all processes of a group: this one
  /// ends with its parent. signal(2)
  public static func ignoreEndOfGroup() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
  }

  /// Becomes the parent of all descendants that lose their own, and has the kernel collect children that end: this
  /// process can wait for none. prctl(2), signal(2)
  public static func adoptOrphans() {
    _ = face_posix_adopt_orphans()
    signal(SIGCHLD, SIG_IGN)
  }

  /// Starts a copy of this process. To be called by a process with one thread. fork(2)
  /// - Returns: the copy's number; `nil` in the copy.
  public static func copy() throws(Status) -> Int32? {
    let id = try system("fork", "cannot start a process") { face_posix_fork() }
    return id == 0 ? nil : id
  }

  /// Starts a copy of this process that is not its child: it belongs to the process that adopts orphans. To be called
  /// by a process with one thread. fork(2)
  /// - Parameter report: called by a process in between, which is the copy's parent until it has returned, whatever
  ///   happens to this process meanwhile; with the error if there is no copy.
  ///   Throws if that process was killed, perhaps after it reported.
  /// - Returns: whether this is the copy.
  public static func copyAsOrphan(_ report: (Status?) -> Void) throws(Status) -> Bool {
    guard let between = try copy() else {
      do throws(Status) {
        if try copy() == nil { return true }
        report(nil)
      } catch {
        report(error)
      }
      _exit(0)
    }
    var end: Int32 = 0
    while waitpid(between, &end, 0) == -1, errno == EINTR {}
    guard end == 0 else { throw Status(.resourceExhausted, "the process that makes the copy was killed") }
    return false
  }

  /// Starts a copy of this process that ends with it, has its memory to itself, writes nowhere, and is the first
  /// to be killed when memory is out. To be called by a process with one thread. fork(2), prctl(2), proc(5)
  /// - Returns: the child's number; `nil` in the child.
  public static func fork() throws(Status) -> Int32? {
    let parent = getpid()
    if let id = try copy() { return id }
    // Before the next call, which gives this process's files in /proc to root.
    face_posix_be_first_to_go()
    // The parent may have ended before the first of these.
    if face_posix_belong_to_parent() != 0 || getppid() != parent { _exit(1) }
    dup2(STDOUT_FILENO, STDERR_FILENO)
    return nil
  }

  /// Closes every descriptor but `kept` and the standard ones. The process must not use any other afterwards.
  /// dup2(2), close_range(2)
  /// - Returns: the same socket under another number.
  public static func keepingOnly(_ kept: borrowing UnixSocket) -> UnixSocket {
    dup2(kept.descriptor.raw, socket)
    face_posix_close_from(socket + 1)
    return UnixSocket(Descriptor(owning: socket))
  }

  public struct Limits: Sendable {
    /// Seconds of processor time after which the kernel ends the process by SIGXCPU.
    public var processorTime: UInt32
    /// Bytes of addresses.
    public var memory: Int
    public var descriptors: UInt32

    public init(processorTime: UInt32, memory: Int, descriptors: UInt32) {
      (self.processorTime, self.memory, self.descriptors) = (processorTime, memory, descriptors)
    }
  }

  /// Puts limits on this process, which cannot be lifted. setrlimit(2)
  public static func limit(_ limits: Limits) throws(Status) {
    _ = try system("setrlimit", "cannot limit this process") {
      face_posix_limit(limits.processorTime, limits.memory, limits.descriptors)
    }
  }

  /// Kills a child that was not collected yet. kill(2)
  public static func kill(_ id: Int32) { _ = Glibc.kill(id, SIGKILL) }

  /// Collects a child that has ended; `nil` if none has. waitpid(2)
  public static func collect() -> (id: Int32, end: ProcessEnd)? {
    var status: Int32 = 0
    let id = waitpid(-1, &status, WNOHANG)
    return id > 0 ? (id, ProcessEnd(status: status)) : nil
  }

  /// Collects a child that is about to end, and kills it if it is not. waitpid(2)
  /// - Returns: `nil` if there is no such child.
  public static func collect(_ id: Int32) -> ProcessEnd? {
    // The end of a process that has begun to end stays what it is.
    kill(id)
    var status: Int32 = 0
    while true {
      let found = waitpid(id, &status, 0)
      if found == id { return ProcessEnd(status: status) }
      if found != -1 || errno != EINTR { return nil }
    }
  }

  /// The processor time that a process has used; `nil` if there is no such process.
  /// clock_getcpuclockid(3)
  public static func processorTime(of id: Int32) -> TimeSpan? {
    let time = face_posix_processor_time(id)
    return time < 0 ? nil : TimeSpan(nanoseconds: time)
  }
}
