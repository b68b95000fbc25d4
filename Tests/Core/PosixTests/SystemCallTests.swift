import FaceCore
import Glibc
import Posix
import Testing

@Suite struct SystemCallTests {
  @Test func failedCallNamesTheCallAndTheReason() {
    let error = SystemError(call: "open", code: EACCES)
    #expect(
      error.status("cannot open /a")
        == Status(.permissionDenied, "cannot open /a: open failed: Permission denied"))
    #expect(SystemError(call: "x", code: 99_999).reason == "unknown error")
  }

  @Test(
    arguments: [
      (ENOENT, .notFound), (EMFILE, .resourceExhausted), (EADDRINUSE, .alreadyExists),
      (ECONNREFUSED, .unavailable), (EIO, .unavailable), (ESTALE, .unavailable), (ETXTBSY, .unavailable),
      (ENOEXEC, .failedPrecondition), (EROFS, .failedPrecondition), (EINVAL, .internal),
    ] as [(Int32, StatusCode)])
  func errnoIsTranslatedToAStatusCode(code: Int32, expected: StatusCode) {
    #expect(SystemError(call: "x", code: code).status("").code == expected)
  }
}
