public import FaceCore
import Glibc

/// Looks up users and groups by name. For use at the start of a program, while it has one thread: the
/// system's functions return shared memory.
public enum Account {
  /// Returns the number of a user given by name or number. Throws `notFound`. getpwnam(3)
  public static func user(_ text: String) throws(Status) -> UInt32 {
    if let number = UInt32(text) { return number }
    errno = 0
    guard let entry = getpwnam(text) else {
      try Account.checkLookup("getpwnam")
      throw Status(.notFound, "there is no user \"\(text)\"; give the name or number of one")
    }
    return entry.pointee.pw_uid
  }

  /// Returns the number of a group given by name or number. Throws `notFound`. getgrnam(3)
  public static func group(_ text: String) throws(Status) -> UInt32 {
    if let number = UInt32(text) { return number }
    errno = 0
    guard let entry = getgrnam(text) else {
      try Account.checkLookup("getgrnam")
      throw Status(.notFound, "there is no group \"\(text)\"; give the name or number of one")
    }
    return entry.pointee.gr_gid
  }

  /// Throws the error of a lookup that failed before it could search: without a descriptor nobody is known.
  private static func checkLookup(_ call: StaticString) throws(Status) {
    let code = errno
    guard [EMFILE, ENFILE, ENOMEM].contains(code) else { return }
    throw SystemError(call: call, code: code).status("cannot look up accounts")
  }
}
