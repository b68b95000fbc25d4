import ArgumentParser
import FaceCore
import Posix
import Service

/// The engine's socket and the users who may connect, as flags of `face-engine serve`.
struct SocketOptions: ParsableArguments {
  @Option(
    help:
      "Path of the socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, or for root in /run)",
    completion: .file()
  )
  var socket: String?

  @Option(help: "Permissions of the socket file, in octal. Those of its folder apply, too.")
  var socketMode = FileMode(bits: 0o660)

  @Option(help: "Group of the socket file, by name or number. (default: the engine's own)")
  var socketGroup: String?

  @Option(help: "User who may call, by name or number; may be repeated. (default: everyone who can connect)")
  var allowUser: [String] = []

  @Option(help: "Group whose members may call, by name or number; may be repeated.")
  var allowGroup: [String] = []

  /// Throws `notFound` for an unknown user or group.
  func access() throws(Status) -> AccessList {
    var access = AccessList()
    for name in allowUser { access.users.insert(try Account.user(name)) }
    for name in allowGroup { access.groups.insert(try Account.group(name)) }
    return access
  }
}

/// File permissions in octal, as in chmod(1).
struct FileMode: ExpressibleByArgument, CustomStringConvertible {
  var bits: UInt32

  init(bits: UInt32) {
    self.bits = bits
  }

  init?(argument: String) {
    guard let bits = UInt32(argument, radix: 8), bits <= 0o777 else { return nil }
    self.bits = bits
  }

  var description: String { "0" + String(bits, radix: 8) }
}

/// A time in seconds, with optional decimals.
struct Seconds: ExpressibleByArgument, CustomStringConvertible {
  var span: TimeSpan

  init(_ span: TimeSpan) {
    self.span = span
  }

  init?(argument: String) {
    // The limit of about a century is far from overflowing.
    guard let seconds = Double(argument), seconds >= 0, seconds <= 3e9 else { return nil }
    span = .nanoseconds(Int64(seconds * 1e9))
  }

  var description: String {
    let seconds = span.seconds
    return seconds == seconds.rounded() ? String(Int64(seconds)) : String(seconds)
  }
}
