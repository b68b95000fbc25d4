import CSandbox
import FaceCore
import Glibc
import Synchronization

/// What this process gives up before it reads the bytes of strangers: all files but those that are listed, TCP, abstract
/// sockets and signals (Landlock), rights that programs gain (no_new_privs), and system calls that it does not need
/// (seccomp). There is no way back. A kernel without one of them has the others.
///
/// On the main thread, before there is any other: Landlock holds for the calling thread and for those that it starts.
public struct Sandbox: Sendable {
  /// What may be done with a path and with what is below it.
  public struct Use: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let read = Use(rawValue: UInt32(FACE_PATH_READ))
    public static let run = Use(rawValue: UInt32(FACE_PATH_RUN))
    /// What is there already.
    public static let write = Use(rawValue: UInt32(FACE_PATH_WRITE))
    /// Files and folders in a folder.
    public static let create = Use(rawValue: UInt32(FACE_PATH_CREATE))
    /// Files from a folder.
    public static let remove = Use(rawValue: UInt32(FACE_PATH_REMOVE))
    /// Devices, by ioctl(2).
    public static let control = Use(rawValue: UInt32(FACE_PATH_CONTROL))
  }

  /// What system calls are needed for besides memory, threads and reading files.
  public struct Needs: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Accepting connections at a socket that listens already.
    public static let server = Needs(rawValue: UInt32(FACE_NEEDS_SERVER))
    /// Notices to a service manager.
    public static let notices = Needs(rawValue: UInt32(FACE_NEEDS_NOTICES))
    /// Connecting to Unix sockets.
    public static let client = Needs(rawValue: UInt32(FACE_NEEDS_CLIENT))
    /// Writing files.
    public static let output = Needs(rawValue: UInt32(FACE_NEEDS_OUTPUT))
    public static let camera = Needs(rawValue: UInt32(FACE_NEEDS_CAMERA))
    /// A program that runs already.
    public static let program = Needs(rawValue: UInt32(FACE_NEEDS_PROGRAM))
    /// Cairo, Pango and fonts.
    public static let drawing = Needs(rawValue: UInt32(FACE_NEEDS_DRAWING))
    /// Accepting TCP connections, with SwiftNIO.
    public static let network = Needs(rawValue: UInt32(FACE_NEEDS_NETWORK))
  }

  /// What holds.
  public struct Restrictions: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    // The bits of Landlock come first; see CSandbox.h.
    public static let files = Restrictions(rawValue: UInt32(FACE_RESTRICTS_FILES))
    public static let tcp = Restrictions(rawValue: UInt32(FACE_RESTRICTS_TCP))
    public static let abstractSockets = Restrictions(rawValue: UInt32(FACE_RESTRICTS_ABSTRACT_SOCKETS))
    public static let signals = Restrictions(rawValue: UInt32(FACE_RESTRICTS_SIGNALS))
    /// Connections to others by TCP, where connections are taken.
    public static let tcpConnections = Restrictions(rawValue: UInt32(FACE_RESTRICTS_TCP_CONNECT))
    public static let privileges = Restrictions(rawValue: 1 << 16)
    public static let systemCalls = Restrictions(rawValue: 1 << 17)
    public static let all: Restrictions = [
      .privileges, .files, .tcp, .abstractSockets, .signals, .systemCalls,
    ]

    /// As in `Info` on the wire.
    private static let table: [(name: String, restriction: Restrictions)] = [
      ("privileges", .privileges), ("files", .files), ("tcp", .tcp), ("tcp_connections", .tcpConnections),
      ("abstract_sockets", .abstractSockets),
      ("signals", .signals), ("system_calls", .systemCalls),
    ]

    /// The names of those that hold, as in "system_calls".
    public var names: [String] { Self.table.filter { contains($0.restriction) }.map(\.name) }
  }

  private static let active = Atomic(false)

  /// Whether this process has entered one.
  static var isActive: Bool { active.load(ordering: .relaxed) }

  public var needs: Needs
  /// Without the filter of system calls, which `filterCalls` adds later: a program that is to be started then inherits the
  /// other restrictions.
  public var filtersLater = false
  private var paths: [(path: String, use: Use)] = []

  /// With the libraries of the system and their data to read.
  public init(needs: Needs) {
    self.needs = needs
    for path in Self.systemPaths { allow(.read, path) }
    // Libraries beside the program, as in a build's folder, and where the loader is told to search.
    if let program = CurrentProcess.ownFile { allow(.read, Self.folder(of: program)) }
    for path in (Environment.value("LD_LIBRARY_PATH") ?? "").split(separator: ":") {
      allow(.read, String(path))
    }
  }

  /// What libraries read that are loaded when they are needed, and the C library itself.
  private static let systemPaths = [
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/self/auxv", "/proc/self/maps", "/proc/self/status",
    "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/devices/system/node",
  ]

  /// Keeps a path in reach: what is there now, links followed. One that is missing stays out of reach.
  public mutating func allow(_ use: Use, _ path: String) {
    paths.append((path, use))
  }

  /// Keeps the place of an output in reach: of a file its folder, where a new one is made that takes its place.
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
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Puts in force what the kernel has. prctl(2), landlock(7), seccomp(2)
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
    let names = paths.map { strdup($0.path) }
    defer { names.forEach { free($0) } }
    let list = zip(names, paths).map { face_sandbox_path(path: $0, uses: $1.use.rawValue) }
    let held = Restrictions(rawValue: face_sandbox_restrict(list, list.count, wanted.rawValue))
    return held.union(.privileges).union(filtersLater ? [] : filterCalls())
  }

  /// From now on only calls that `needs` names can be made, by all threads. seccomp(2)
  public func filterCalls() -> Restrictions {
    face_sandbox_filter_calls(needs.rawValue) == 0 ? .systemCalls : []
  }
}
