import FaceCore
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct SocketFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path() throws(Status) -> SocketPath { try SocketPath(folder.path("engine.sock")) }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Claims the path and gives it up at once.
  private func claim() throws(Status) { _ = try SocketFile.claim(try path()) }

  @Test func fileHasItsModeAndIsRemoved() throws {
    do {
      let file = try SocketFile.claim(try path(), mode: 0o606)
      var information = stat()
      #expect(lstat(file.path.description, &information) == 0)
      #expect(information.st_mode & 0o777 == 0o606)
      #expect(exists("\(file.path).lock"))
      _ = try UnixSocket(connectingTo: file.path)
    }
    #expect(!exists(try path().description))
    #expect(!exists("\(try path()).lock"))
  }

  @Test func folderIsItsOwnIfNothingElseIsInItAndNobodyElseMayChangeIt() throws {
    chmod(folder.path, 0o700)
    let socket = try path().description
    #expect(SocketFile.hasFolderOfItsOwn(socket))
    let file = try SocketFile.claim(try path())
    #expect(SocketFile.hasFolderOfItsOwn(file.path.description))
    chmod(folder.path, 0o730)
    #expect(!SocketFile.hasFolderOfItsOwn(socket))
    chmod(folder.path, 0o700)
    let other = try folder.write("other", [])
    #expect(!SocketFile.hasFolderOfItsOwn(socket))
    unlink(other)
    #expect(SocketFile.hasFolderOfItsOwn(socket))
    #expect(!SocketFile.hasFolderOfItsOwn("/run/face-engine.sock"))
    #expect(!SocketFile.hasFolderOfItsOwn(folder.path("none/engine.sock")))
  }

  @Test func liveEngineIsLeftAlone() throws {
    let file = try SocketFile.claim(try path())
    expectFailure(.alreadyExists) { try claim() }
    _ = try UnixSocket(connectingTo: file.path)
    // The same holds when the lock file was removed by hand.
    unlink("\(file.path).lock")
    expectFailure(.alreadyExists) { try claim() }
    #expect(exists(file.path.description))
  }

  @Test func deadEnginesSocketIsCleared() throws {
    do { _ = try ListeningSocket(at: try path(), mode: 0o600) }
    #expect(exists(try path().description))
    expectFailure(.unavailable) { try UnixSocket(connectingTo: try path()) }
    let file = try SocketFile.claim(try path())
    _ = try UnixSocket(connectingTo: file.path)
  }

  @Test func fileThatIsNotASocketIsLeftAlone() throws {
    try File.writeAtomically(try path().description, UnsafeRawBufferPointer(start: nil, count: 0))
    expectFailure(.failedPrecondition) { try claim() }
    #expect(exists(try path().description))
    #expect(!exists("\(try path()).lock"))
  }

  @Test func replacedSocketFileIsNotRemoved() throws {
    do {
      let file = try SocketFile.claim(try path())
      unlink(file.path.description)
      try File.writeAtomically(file.path.description, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(exists(try path().description))
  }

  @Test func stoppedListenerRefuses() throws {
    var file = try SocketFile.claim(try path())
    file.stopListening()
    expectFailure(.unavailable) { try UnixSocket(connectingTo: file.path) }
  }

  @Test func folderThatIsMissingIsNamed() throws {
    let missing = try SocketPath(folder.path("no/engine.sock"))
    expectFailure(.notFound, "/no/engine.sock") { try SocketFile.claim(missing) }
  }
}
