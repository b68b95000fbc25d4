public import FaceCore
import Glibc

/// Looks up users and groups. By name only at the start of a program, while it has one thread: the system's
/// functions return shared memory.
public enum Account {
  /// Returns the number of a user given by name or number. Throws `notFound`. getpwnam(3)
  public static func user(_ text: String) throws(Status) -> UInt32 {
    try number(text, "user", "getpwnam") { getpwnam($0)?.pointee.pw_uid }
  }

  /// Returns the number of a group given by name or number. Throws `notFound`. getgrnam(3)
  public static func group(_ text: String) throws(Status) -> UInt32 {
    try number(text, "group", "getgrnam") { getgrnam($0)?.pointee.gr_gid }
  }

  /// Returns the name of a group, or its number as text if it has none. Any thread. getgrgid_r(3)
  static func groupName(_ number: UInt32) -> String {
    var (entry, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
      _ = getgrgid_r(number, &entry, text.baseAddress, text.count, &found)
      return found.map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
    }
  }

  private static func number(
    _ text: String, _ kind: String, _ call: StaticString, _ lookUp: (String) -> UInt32?
  ) throws(Status) -> UInt32 {
    if let number = UInt32(text) { return number }
    errno = 0
    if let number = lookUp(text) { return number }
    let code = errno
    // A lookup that failed before it could search: without a descriptor nobody is known.
    if [EMFILE, ENFILE, ENOMEM].contains(code) {
      throw SystemError(call: call, code: code).status("cannot look up accounts")
    }
    throw Status(.notFound, "there is no \(kind) \"\(text)\"; give the name or number of a \(kind)")
  }
}
