import FaceEngine
import Foundation
import Testing

/// Memory must not grow with the number of calls. With FACE_ENGINE_LONG_TESTS, 100,000 calls.
@Suite(.serialized) struct MemoryTests {
  private let calls = Support.environment["FACE_ENGINE_LONG_TESTS"] == nil ? 10_000 : 100_000
  /// Bytes: 200 of each call in the short form.
  private let allowed = 2_000_000

  /// Bytes of the process in memory.
  private func memory() throws -> Int {
    let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(numbers[1])) * sysconf(Int32(_SC_PAGESIZE))
  }

  private func growth(_ body: () async throws -> Void) async throws -> Int {
    for _ in 0..<calls / 5 { try await body() }
    let before = try memory()
    for _ in 0..<calls { try await body() }
    return try memory() - before
  }

  private let image = Image.pixels(
    [UInt8](repeating: 0, count: 64 * 64), PixelLayout(.gray, width: 64, height: 64))

  @Test func callsLeaveNothing() async throws {
    let engine = try await FaceEngine.load()
    let nothing = DetectOptions(boxes: [])
    let found = try await growth {
      let faces = try await engine.faces(in: image, .pose, options: nothing)
      try #require(faces.isEmpty)
    }
    #expect(found < allowed)
  }

  @Test func failuresLeaveNothing() async throws {
    let engine = try await FaceEngine.load()
    let failed = try await growth {
      do throws(FaceError) {
        _ = try await engine.faces(in: .encoded([0]))
        Issue.record("no failure")
      } catch { try #require(error.code == .invalidArgument) }
    }
    #expect(failed < allowed)
  }

  @Test func framesLeaveNothing() async throws {
    let engine = try await FaceEngine.load()
    var before = 0
    for try await frame in engine.follow(AsyncStream<Image> { image }, mode: .every) {
      if frame.number == calls / 5 { before = try memory() }
      if frame.number == calls + calls / 5 { break }
    }
    #expect(try memory() - before < allowed)
  }
}
