import CPosixShims
public import FaceCore
import Glibc

/// The running program: identifies, ends or replaces it.
public enum CurrentProcess {
  /// Ends the process. exit(3)
  public static func exit(_ code: Int32) -> Never {
    Glibc.exit(code)
  }

  /// The path of the file that contains this code: the library if it is in one, else the program. dladdr(3),
  /// proc(5)
  public static var ownFile: String? {
    // dladdr gives a library's path, but for a program the name by which it was called, which may have no
    // folder.
    let name = face_posix_own_file().map { String(path: $0) } ?? ""
    let file = name.contains("/") ? FileSystem.resolved(name) : nil
    return file ?? program
  }

  /// The arguments of the program, as texts of paths: the first is its name. Swift's own `CommandLine` reads them
  /// from /proc, which may not be mounted, and replaces bytes that are not UTF-8.
  public static var arguments: [String] {
    var arguments: [String] = []
    var next = face_posix_arguments()
    while let argument = next?.pointee {
      arguments.append(String(path: argument))
      next = next?.successor()
    }
    return arguments
  }

  /// The path of the running program, which may be a small one that leads to a library. proc(5), getauxval(3)
  public static var program: String? {
    FileSystem.resolved("/proc/self/exe")
      ?? face_posix_program().flatMap { FileSystem.resolved(String(path: $0)) }
  }

  /// Bytes of addresses that the process has mapped; 0 if unknown. proc(5), statm
  public static var mappedBytes: Int {
    guard let bytes = try? File.read("/proc/self/statm", limit: 4096) else { return 0 }
    let pages = String(decoding: bytes, as: UTF8.self).prefix { $0 != " " }
    return (Int(pages) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// The effective user of the process. geteuid(2)
  public static var user: UInt32 { geteuid() }

  /// Ends the process without cleaning up, whatever other threads do. _exit(2)
  public static func exitAtOnce(_ code: Int32) -> Never {
    _exit(code)
  }

  /// The number of processors that the process may use, at least 1: those that it may run on, or the processor time of
  /// its control groups if that is less. sched_getaffinity(2), cgroups(7)
  public static var processorCount: Int {
    max(1, min(Int(face_posix_processor_count()), ControlGroups.current.wholeProcessors))
  }

  /// Returns unneeded memory to the system: freed memory, and code, which is read from its files again when
  /// it runs. malloc_trim(3), madvise(2)
  public static func releaseMemory() { face_posix_release_memory() }

  /// Returns freed memory to the system, which malloc keeps for the next calls. malloc_trim(3)
  public static func returnFreedMemory() { face_posix_trim() }

  /// Makes all threads allocate from one arena, so that freed memory can be returned whole. Call
  /// before other threads are started. mallopt(3)
  public static func shareFreeMemory() { face_posix_use_one_arena() }

  /// Suspends the calling thread. nanosleep(2)
  public static func sleep(for span: TimeSpan) {
    var time = span.asTimespec
    nanosleep(&time, nil)
  }

  /// Makes a write to a pipe or socket without a reader fail instead of ending the process. signal(2)
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// The number of the process; a fork has another one. getpid(2)
  public static var id: Int32 { getpid() }

  /// Makes the process independent of what its starter left: closed standard streams, whose numbers must not be given
  /// to sockets and files; an ignored SIGCHLD, with which no child's end can be learnt; and SIGXFSZ, which ends a
  /// process whose file exceeds RLIMIT_FSIZE: the write fails instead. For programs, at their start; a library's host
  /// decides itself. open(2), signal(2)
  public static func normalise() {
    _ = face_posix_occupy_standard()
    signal(SIGCHLD, SIG_DFL)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Becomes another program, which is searched in PATH; returns only by throwing. execvp(3)
  public static func become(_ arguments: [String]) throws(Status) -> Never {
    guard let program = arguments.first else { throw Status(.invalidArgument, "no program was named") }
    fflush(nil)
    signal(SIGXFSZ, SIG_DFL)
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.cPath) }
    pointers.append(nil)
    execvp(program.cPath, &pointers)
    let code = errno
    pointers.forEach { free($0) }
    throw SystemError(call: "execvp", code: code).status("cannot run \(program)")
  }
}

/// The process's environment variables.
public enum Environment {
  /// Returns the value of `name`; `nil` when it is unset or empty. getenv(3)
  public static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(path: text)
  }
}

/// Describes the processor and the time that this process has used of it.
public enum Processor {
  /// The processor's model name; `nil` where the kernel reports none, as on most ARM machines. /proc/cpuinfo,
  /// proc(5)
  public static var name: String? {
    guard let bytes = try? File.read("/proc/cpuinfo", limit: 16 << 20) else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("model name") {
      return line.split(separator: ":", maxSplits: 1).last.map { String($0.drop(while: { $0 == " " })) }
    }
    return nil
  }

  /// The processor time that all threads of this process have used. clock_gettime(2),
  /// CLOCK_PROCESS_CPUTIME_ID
  public static var timeUsed: TimeSpan {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return TimeSpan(time)
  }
}

/// Registers handlers of forks.
public enum Fork {
  /// Registers `prepare`, called before each fork of this process, and `after`, called after it in the parent
  /// and in the child, so that no other thread holds a lock whose memory the child inherits. Meant for
  /// statics: only unloading the library removes the handlers. pthread_atfork(3)
  public static func handlers(prepare: @convention(c) () -> Void, after: @convention(c) () -> Void) {
    _ = pthread_atfork(prepare, after, after)
  }
}
