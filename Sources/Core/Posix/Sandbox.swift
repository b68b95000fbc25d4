import CSandbox
import FaceCore
import Glibc
import Synchronization

/// The restrictions that this process enters before it reads untrusted bytes. It gives up all files but those
/// listed, TCP, abstract sockets and signals (Landlock), privileges gained by executing programs
/// (no_new_privs), and system calls that it does not need (seccomp). They cannot be lifted. A kernel that
/// lacks one of them applies the others.
///
/// To be entered on the main thread, before there is any other: Landlock holds for the calling thread and for
/// those that it starts.
public struct Sandbox: Sendable {
  /// The rights to a path and to everything below it.
  public struct Use: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let read = Use(rawValue: UInt32(FACE_PATH_READ))
    public static let run = Use(rawValue: UInt32(FACE_PATH_RUN))
    /// Write to existing files.
    public static let write = Use(rawValue: UInt32(FACE_PATH_WRITE))
    /// Create files and folders in a folder.
    public static let create = Use(rawValue: UInt32(FACE_PATH_CREATE))
    /// Remove files from a folder.
    public static let remove = Use(rawValue: UInt32(FACE_PATH_REMOVE))
    /// Control devices, by ioctl(2).
    public static let control = Use(rawValue: UInt32(FACE_PATH_CONTROL))
  }

  /// The tasks that need system calls beyond memory, threads and reading files.
  public struct Needs: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Accepting connections at a socket that listens already.
    public static let server = Needs(rawValue: UInt32(FACE_NEEDS_SERVER))
    /// Sending notices to a service manager.
    public static let notices = Needs(rawValue: UInt32(FACE_NEEDS_NOTICES))
    /// Connecting to Unix sockets.
    public static let client = Needs(rawValue: UInt32(FACE_NEEDS_CLIENT))
    /// Writing files.
    public static let output = Needs(rawValue: UInt32(FACE_NEEDS_OUTPUT))
    public static let camera = Needs(rawValue: UInt32(FACE_NEEDS_CAMERA))
    /// Waiting for a program that is running already, and ending it.
    public static let program = Needs(rawValue: UInt32(FACE_NEEDS_PROGRAM))
    /// Drawing with Cairo, Pango and fonts.
    public static let drawing = Needs(rawValue: UInt32(FACE_NEEDS_DRAWING))
    /// Accepting TCP connections, with SwiftNIO.
    public static let network = Needs(rawValue: UInt32(FACE_NEEDS_NETWORK))
    /// Sharing memory with processes that decode pictures.
    public static let decoders = Needs(rawValue: UInt32(FACE_NEEDS_DECODERS))
    /// Loading libraries when they are needed.
    public static let libraries = Needs(rawValue: UInt32(FACE_NEEDS_LIBRARIES))
  }

  /// The restrictions in force.
  public struct Restrictions: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    // The bits of Landlock come first; see CSandbox.h.
    public static let files = Restrictions(rawValue: UInt32(FACE_RESTRICTS_FILES))
    public static let tcp = Restrictions(rawValue: UInt32(FACE_RESTRICTS_TCP))
    public static let abstractSockets = Restrictions(rawValue: UInt32(FACE_RESTRICTS_ABSTRACT_SOCKETS))
    public static let signals = Restrictions(rawValue: UInt32(FACE_RESTRICTS_SIGNALS))
    /// TCP connections to others, in a process that accepts TCP connections.
    public static let tcpConnections = Restrictions(rawValue: UInt32(FACE_RESTRICTS_TCP_CONNECT))
    public static let privileges = Restrictions(rawValue: 1 << 16)
    public static let systemCalls = Restrictions(rawValue: 1 << 17)
    public static let all: Restrictions = [
      .privileges, .files, .tcp, .abstractSockets, .signals, .systemCalls,
    ]

    /// The names, as in `Info` on the wire.
    private static let table: [(name: String, restriction: Restrictions)] = [
      ("privileges", .privileges), ("files", .files), ("tcp", .tcp), ("tcp_connections", .tcpConnections),
      ("abstract_sockets", .abstractSockets),
      ("signals", .signals), ("system_calls", .systemCalls),
    ]

    /// The names of the restrictions in force, as in "system_calls".
    public var names: [String] { Self.table.filter { contains($0.restriction) }.map(\.name) }
  }

  private static let active = Atomic(false)

  /// Whether this process has entered a sandbox.
  static var isActive: Bool { active.load(ordering: .relaxed) }

  public var needs: Needs
  /// Whether `enter` leaves out the filter of system calls, which `filterCalls` adds later: a program that is
  /// started in between then inherits only the other restrictions.
  public var filtersLater = false
  private var paths: [(path: String, use: Use)] = []

  /// A sandbox that can read what the C library does, and with `libraries` those of the system and their data.
  public init(needs: Needs) {
    self.needs = needs
    for path in Self.systemPaths { allow(.read, path) }
    guard needs.contains(.libraries) else { return }
    for path in Self.libraryPaths { allow(.read, path) }
    // Libraries beside the program, as in a build folder, and those on the loader's search path.
    if let program = CurrentProcess.ownFile { allow(.read, Self.folder(of: program)) }
    for path in (Environment.value("LD_LIBRARY_PATH") ?? "").split(separator: ":") {
      allow(.read, String(path))
    }
  }

  /// Libraries that are loaded on demand, and what they read. Not all of /usr: /usr/local is the
  /// administrator's.
  private static let libraryPaths = [
    "/usr/lib", "/usr/lib64", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache",
  ]

  private static let systemPaths = [
    "/etc/localtime", "/dev/null", "/dev/urandom",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/self/auxv", "/proc/self/maps", "/proc/self/status",
    "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/devices/system/node",
  ]

  /// Allows access to a path that exists now, links followed. A path that does not exist stays out of reach.
  public mutating func allow(_ use: Use, _ path: String) {
    paths.append((path, use))
  }

  /// Allows an output to be written: for a file, its folder, where a new one is made that replaces it.
  public mutating func allowOutput(_ path: String) {
    needs.insert(.output)
    let target = FileSystem.resolved(path) ?? path
    switch FileSystem.kind(of: target) {
    case .folder: allow([.read, .create], target)
    case .other: allow(.write, path)
    case .file, nil: allow([.read, .create], Self.folder(of: target))
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastSlash else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Puts in force the restrictions that the kernel supports. prctl(2), landlock(7), seccomp(2)
  public func enter() -> Restrictions {
    guard face_sandbox_no_new_privileges() == 0 else { return [] }
    Self.active.store(true, ordering: .relaxed)
    var wanted: Restrictions = [.files, .tcp, .abstractSockets, .signals]
    // A service manager may listen at an abstract socket.
    if needs.contains(.notices), Environment.value("NOTIFY_SOCKET")?.hasPrefix("@") == true {
      wanted.remove(.abstractSockets)
    }
    if needs.contains(.network) {
      wanted.remove(.tcp)
      wanted.insert(.tcpConnections)
    }
    let names = paths.map { strdup($0.path.cPath) }
    defer { names.forEach { free($0) } }
    let list = zip(names, paths).map { face_sandbox_path(path: $0, uses: $1.use.rawValue) }
    let held = Restrictions(rawValue: face_sandbox_restrict(list, list.count, wanted.rawValue))
    return held.union(.privileges).union(filtersLater ? [] : filterCalls())
  }

  /// Leaves this process only what decoding takes: no files, no sockets but those that are open, and few
  /// system calls. A kernel, or an emulator, that lacks one of these restrictions applies the others, which a
  /// service reports of itself. landlock(7), seccomp(2)
  public static func enterDecoder() {
    guard face_sandbox_no_new_privileges() == 0 else { return }
    let wanted: Restrictions = [.files, .tcp, .abstractSockets, .signals]
    _ = face_sandbox_restrict(nil, 0, wanted.rawValue)
    _ = face_sandbox_filter_decoder_calls()
  }

  /// Restricts all threads to the system calls that `needs` requires. seccomp(2)
  public func filterCalls() -> Restrictions {
    face_sandbox_filter_calls(needs.rawValue) == 0 ? .systemCalls : []
  }
}
