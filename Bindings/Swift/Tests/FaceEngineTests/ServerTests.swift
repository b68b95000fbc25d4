import FaceEngine
import Foundation
import Testing

/// Engines that end in the middle, and begin again.
@Suite(.timeLimit(.minutes(2))) struct ServerTests {
  private let photo = Image.file(Support.photo)

  @Test func callsFailUntilTheEngineRunsAgain() async throws {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    #expect(try await engine.faces(in: photo).count == 1)
    server.end()
    await fails(with: .unavailable) { try await engine.faces(in: photo) }
    try server.start()
    #expect(try await engine.faces(in: photo).count == 1)
  }

  @Test func callsThatRunFailWithTheirEngine() async throws {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    try server.stop()
    let call = Task { try await engine.faces(in: photo) }
    let batch = Task { try await engine.faces(in: [photo, photo]) }
    let check = Task { try await engine.checkPhoto(photo) }
    server.end()
    await fails(with: .unavailable) { try await call.value }
    await fails(with: .unavailable) { try await check.value }
    for result in try await batch.value { await fails(with: .unavailable) { try result.get() } }
  }

  @Test(arguments: SessionMode.allCases) func followedFramesGoOnWithTheNextEngine(mode: SessionMode)
    async throws
  {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    let frames = AsyncStream<Image> {
      // As a camera.
      try? await Task.sleep(for: .milliseconds(5))
      return .file(Support.photo)
    }
    var (before, failed, after) = (0, 0, 0)
    for try await frame in engine.follow(frames, mode: mode) {
      switch (frame.error, failed) {
      case (nil, 0):
        #expect(frame.faces.count == 1)
        before += 1
        if before == 3 { server.end() }
      case (let error?, _):
        #expect(error.code == .unavailable)
        failed += 1
        if failed == 3 { try server.start() }
      case (nil, _):
        #expect(frame.faces.count == 1)
        after += 1
      }
      if after == 3 { break }
    }
    #expect(before >= 3 && failed >= 3 && after == 3)
  }

  @Test(arguments: SessionMode.allCases) func aGuidedCheckGoesOnWithTheNextEngine(mode: SessionMode)
    async throws
  {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    let frames = AsyncStream<Image> {
      try? await Task.sleep(for: .milliseconds(5))
      return .file(Support.photo)
    }
    var (failed, drawn, isAgain) = (0, 0, false)
    // No face is ever right: the check continues.
    for try await event in engine.guidedCheck(
      frames, options: CheckOptions(minFace: 1.9, maxFace: 2), mode: mode)
    {
      switch event.kind {
      case .draw:
        drawn += 1
        if drawn == 3 { server.end() }
        isAgain = failed > 0
      case .frameFailed(let error):
        #expect(error.code == .unavailable)
        failed += 1
        if failed == 1 { try server.start() }
      default: break
      }
      if isAgain { break }
    }
    #expect(failed > 0 && isAgain)
  }
}
