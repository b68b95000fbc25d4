import FaceEngine
import Foundation
import Testing

/// Each of these would wait for ever if the cancelled task did not end: for an engine that is stopped, or for a frame
/// that never comes.
@Suite(.timeLimit(.minutes(2))) struct CancellationTests {
  private let photo = Image.file(Support.photo)

  private func isCancelled(
    _ task: Task<some Sendable, any Error>, location: SourceLocation = #_sourceLocation
  ) async {
    task.cancel()
    await fails(with: .cancelled, { try await task.value }, location: location)
  }

  @Test func aTaskThatIsCancelledBeforeItsCall() async throws {
    let engine = try await FaceEngine.load()
    let gate = Gate()
    let task = Task {
      await gate.wait()
      return try await engine.faces(in: photo)
    }
    task.cancel()
    await gate.open()
    await isCancelled(task)
    let loading = Task {
      await gate.wait()
      return try await FaceEngine.load()
    }
    await isCancelled(loading)
  }

  @Test func callsThatAnEngineDoesNotAnswer() async throws {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    try server.stop()
    // More than run at the same time: some wait for a thread.
    let tasks = (0..<40).map { _ in Task { try await engine.faces(in: photo) } }
    let batch = Task { try await engine.faces(in: [photo, photo]) }
    let check = Task { try await engine.checkPhoto(photo) }
    let connecting = Task { try await FaceEngine.connect(to: server.socket) }
    for task in tasks { await isCancelled(task) }
    await isCancelled(batch)
    await isCancelled(check)
    await isCancelled(connecting)
    server.signal(SIGCONT)
    #expect(try await engine.faces(in: photo).count == 1)
  }

  @Test func aLoadedEngineThatSearches() async throws {
    let engine = try await FaceEngine.load()
    let images = Array(repeating: photo, count: 100_000)
    let task = Task { try await engine.faces(in: images) }
    // The threads of the engine work when this is answered.
    _ = try await engine.faces(in: photo)
    await isCancelled(task)
  }

  /// The loops below end with `cancelled`, and what they opened ends with them.
  private func follow(
    _ engine: FaceEngine, _ frames: AsyncStream<Image>, _ mode: SessionMode,
    _ body: @escaping @Sendable () async -> Void = {}
  ) -> Task<Void, any Error> {
    Task { for try await _ in engine.follow(frames, mode: mode) { await body() } }
  }

  @Test(arguments: SessionMode.allCases) func aLoopWhoseSourceIsSilent(mode: SessionMode) async throws {
    let engine = try await FaceEngine.load()
    let (frames, source) = AsyncStream<Image>.makeStream()
    let ended = Gate()
    source.onTermination = { _ in Task { await ended.open() } }
    let task = follow(engine, frames, mode)
    await isCancelled(task)

    let gate = Gate()
    let (others, otherSource) = AsyncStream<Image>.makeStream()
    otherSource.onTermination = { _ in Task { await ended.open() } }
    let second = follow(engine, others, mode) { await gate.open() }
    otherSource.yield(photo)
    await gate.wait()
    await isCancelled(second)
    // The source learns that nobody takes its frames.
    await ended.wait()
  }

  @Test(arguments: SessionMode.allCases) func aLoopWhoseEngineDoesNotAnswer(mode: SessionMode) async throws {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    let gate = Gate()
    let (frames, source) = AsyncStream<Image>.makeStream()
    let task = follow(engine, frames, mode) { await gate.open() }
    source.yield(photo)
    await gate.wait()
    try server.stop()
    for _ in 0..<10 { source.yield(photo) }
    await isCancelled(task)
    // Opening waits for the engine, too.
    await isCancelled(follow(engine, frames, mode))
    await isCancelled(Task { for try await _ in engine.guidedCheck(frames, mode: mode) {} })
    server.signal(SIGCONT)
    #expect(try await engine.faces(in: photo).count == 1)
  }

  @Test func aLoopWhoseBodyIsSlow() async throws {
    let engine = try await FaceEngine.load()
    let (inside, cancelled) = (Gate(), Gate())
    let frames = AsyncStream<Image> { .file(Support.photo) }
    let task = follow(engine, frames, .every) {
      await inside.open()
      await cancelled.wait()
    }
    await inside.wait()
    task.cancel()
    await cancelled.open()
    await isCancelled(task)
  }

  @Test func aGuidedCheck() async throws {
    let engine = try await FaceEngine.load()
    let (frames, source) = AsyncStream<Image>.makeStream()
    let gate = Gate()
    let task = Task {
      for try await _ in engine.guidedCheck(frames) { await gate.open() }
    }
    source.yield(photo)
    await gate.wait()
    await isCancelled(task)
  }

  enum Use {
    case images
    case follow(SessionMode)
    case guidedCheck(SessionMode)
  }

  private struct Reference {
    weak var engine: FaceEngine?
  }

  /// Cancels a task that would use an engine for ever.
  private func used(_ use: Use) async throws -> Reference {
    let engine = try await FaceEngine.load()
    let gate = Gate()
    let (frames, source) = AsyncStream<Image>.makeStream()
    source.yield(photo)
    let task = Task {
      switch use {
      case .images:
        await gate.open()
        _ = try await engine.faces(in: Array(repeating: photo, count: 100_000))
      case .follow(let mode): for try await _ in engine.follow(frames, mode: mode) { await gate.open() }
      case .guidedCheck(let mode):
        for try await _ in engine.guidedCheck(frames, mode: mode) { await gate.open() }
      }
    }
    await gate.wait()
    await isCancelled(task)
    return Reference(engine: engine)
  }

  /// A call, a session, a feeder or a thread that still ran would hold the engine.
  @Test(arguments: [
    Use.images, .follow(.newest), .follow(.every), .guidedCheck(.newest), .guidedCheck(.every),
  ]) func nothingRunsAfterwards(use: Use) async throws {
    let reference = try await used(use)
    while reference.engine != nil { await Task.yield() }
  }

  @Test func loopsThatAreLeftEndTheirSources() async throws {
    let engine = try await FaceEngine.load()
    for mode in SessionMode.allCases {
      let (frames, source) = AsyncStream<Image>.makeStream()
      let ended = Gate()
      source.onTermination = { _ in Task { await ended.open() } }
      source.yield(photo)
      for try await _ in engine.follow(frames, mode: mode) { break }
      await ended.wait()
    }
  }
}
