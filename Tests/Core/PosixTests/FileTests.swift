import FaceCore
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [0, 1, 4096, 100_000])
  func readsWhatWasWritten(size: Int) throws {
    let path = folder.path("file")
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    for _ in 0..<2 { try bytes.withUnsafeBytes { try File.writeAtomically(path, $0) } }
    #expect(try File.read(path, limit: size) == bytes)
    if size > 0 {
      expectFailure(.outOfRange, path) { try File.read(path, limit: size - 1) }
    }
  }

  @Test func missingFilesFoldersAndPipesAreRefused() {
    expectFailure(.notFound, "none") { try File.read(folder.path("none"), limit: 10) }
    expectFailure(.invalidArgument) { try File.read(folder.path, limit: 10) }
    let pipe = folder.path("pipe")
    mkfifo(pipe, 0o600)
    expectFailure(.invalidArgument) { try File.read(pipe, limit: 10) }
    expectFailure(.notFound) {
      try File.writeAtomically(folder.path("no/file"), UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test func filesOfUnknownSizeAreRead() throws {
    // Files in /proc have the size 0.
    let status = try File.read("/proc/self/status", limit: 1 << 20)
    #expect(status.starts(with: "Name:".utf8))
    #expect(throws: Status.self) { try File.read("/proc/self/status", limit: 10) }
  }
}
