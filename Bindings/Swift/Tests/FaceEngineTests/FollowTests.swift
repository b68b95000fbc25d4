import FaceEngine
import Testing

@Suite struct FollowTests {
  private let photo = Image.file(Support.photo)

  @Test func everyFrameIsFollowedInOrder() async throws {
    let engine = try await FaceEngine.load()
    var numbers: [Int] = []
    var ids: Set<UInt64?> = []
    for try await frame in engine.follow(
      Support.stream(Array(repeating: photo, count: 12)), mode: .every, .pose)
    {
      numbers.append(frame.number)
      #expect(frame.error == nil && frame.dropped == 0 && frame.faces.imageSize.width == 512)
      ids.insert(frame.faces.first?.id)
    }
    #expect(numbers == Array(1...12))
    #expect(ids == [1])
  }

  @Test func aFaceThatLeftIsReportedOnce() async throws {
    let engine = try await FaceEngine.load()
    let empty = Image.pixels([UInt8](repeating: 90, count: Support.layout.byteCount), Support.layout)
    let images = Array(repeating: photo, count: 4) + Array(repeating: empty, count: 12)
    var left: [UInt64] = []
    for try await frame in engine.follow(
      Support.stream(images), mode: .every, .pose, session: SessionOptions(maxMissedFrames: 2))
    {
      left += frame.left
    }
    #expect(left == [1])
  }

  @Test func theBestPictureComesWithTheFaceThatLeft() async throws {
    let engine = try await FaceEngine.load()
    let empty = Image.pixels([UInt8](repeating: 90, count: Support.layout.byteCount), Support.layout)
    let images = Array(repeating: photo, count: 2) + Array(repeating: empty, count: 5) + [photo]
    let session = SessionOptions(maxMissedFrames: 1, detectionInterval: 1, bestSize: 64)
    let frames = engine.follow(Support.stream(images), mode: .every, session: session)
    var best: [BestPicture] = []
    for try await frame in frames {
      #expect(frame.left.count == frame.best.count)
      best += frame.best
    }
    let last = try frames.bestPictures()
    #expect(best.map(\.faceID) == [1] && best.map(\.hasLeft) == [true])
    #expect(last.map(\.faceID) == [2] && last.map(\.hasLeft) == [false])
    for picture in best + last {
      #expect(picture.score > 0 && picture.score <= picture.face.quality?.quality ?? 0)
      #expect(picture.cropBox.width > picture.face.box.width)
    }
  }

  @Test func aKnownBoxIsFollowed() async throws {
    let engine = try await FaceEngine.load()
    let frames = engine.follow(
      Support.stream(Array(repeating: photo, count: 8)), mode: .every,
      session: SessionOptions(followedOnly: true))
    #expect(throws: FaceError.self) { try frames.follow(Box(x: 0, y: 0, width: 9, height: 9)) }
    var (id, last): (UInt64?, UInt64?) = (nil, nil)
    for try await frame in frames {
      if id == nil { id = try frames.follow(Box(x: 177, y: 120, width: 181, height: 218)) }
      last = frame.faces.first?.id
    }
    #expect(id != nil && last == id)
  }

  /// The source counts the frames that were taken from it, and lets the test wait for a count.
  private actor Source {
    private(set) var taken = 0
    private var waiting: (count: Int, CheckedContinuation<Void, Never>)?

    func take() {
      taken += 1
      if let waiting, taken >= waiting.count {
        waiting.1.resume()
        self.waiting = nil
      }
    }

    func wait(for count: Int) async {
      if taken < count { await withCheckedContinuation { waiting = (count, $0) } }
    }
  }

  @Test func aSlowConsumerDropsFramesInNewest() async throws {
    let engine = try await FaceEngine.load()
    let source = Source()
    let frames = AsyncStream<Image> {
      await source.take()
      return await source.taken <= 100 ? .file(Support.photo) : nil
    }
    var (received, dropped, last) = (0, 0, 0)
    for try await frame in engine.follow(frames, mode: .newest) {
      // As slow as it can be: until the source has no more frames.
      await source.wait(for: 101)
      received += 1
      dropped += frame.dropped
      #expect(frame.number == received + dropped)
      last = frame.number
    }
    #expect(last == 100 && received + dropped == 100)
    // The one in the loop's body, the one that was ready, and the newest.
    #expect(received <= 3)
  }

  @Test func aSlowConsumerHoldsTheSourceInEvery() async throws {
    let engine = try await FaceEngine.load()
    let source = Source()
    let frames = AsyncStream<Image> {
      await source.take()
      return await source.taken <= 40 ? .file(Support.photo) : nil
    }
    var received = 0
    for try await frame in engine.follow(frames, mode: .every) {
      received += 1
      #expect(frame.number == received && frame.dropped == 0)
      // Three are searched or ready, and one was taken to be the next.
      #expect(await source.taken <= received + 4)
    }
    #expect(received == 40)
  }

  @Test func aFrameThatFailsDoesNotEndTheFrames() async throws {
    let engine = try await FaceEngine.load()
    let images: [Image] = [photo, .encoded([1, 2, 3]), .file("/none.jpg"), photo]
    var codes: [Status?] = []
    for try await frame in engine.follow(Support.stream(images), mode: .every) {
      codes.append(frame.error?.code)
    }
    #expect(codes == [nil, .invalidArgument, .notFound, nil])
  }

  @Test func anErrorOfTheSourceComesAfterItsFrames() async throws {
    struct Broken: Error {}
    let engine = try await FaceEngine.load()
    let frames = AsyncThrowingStream<Image, any Error> { continuation in
      continuation.yield(.file(Support.photo))
      continuation.finish(throwing: Broken())
    }
    var received = 0
    await fails(with: .aborted) {
      for try await _ in engine.follow(frames, mode: .every) { received += 1 }
    }
    #expect(received == 1)
  }

  @Test func framesAreIteratedOnce() async throws {
    let engine = try await FaceEngine.load()
    let frames = engine.follow(Support.stream([photo]), mode: .every)
    for try await _ in frames {}
    await fails(with: .failedPrecondition) { for try await _ in frames {} }
  }

  @Test func anOptionOutsideItsRangeFailsTheFirstFrame() async throws {
    let engine = try await FaceEngine.load()
    await fails(with: .invalidArgument) {
      for try await _ in engine.follow(Support.stream([photo]), session: SessionOptions(minHits: 5000)) {}
    }
  }

  /// Released when the library needs the pixels no longer.
  private final class Owner: Sendable {
    nonisolated(unsafe) let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 64, alignment: 16)
    let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) {
      self.released = released
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
      bytes.deallocate()
      released()
    }
  }

  @Test func pixelsAreReleasedWhenTheLoopEnds() async throws {
    let engine = try await FaceEngine.load()
    let (released, releases) = AsyncStream<Void>.makeStream()
    let layout = PixelLayout(.gray, width: 64, height: 64)
    let images = AsyncStream<Image> {
      let owner = Owner { releases.yield() }
      return .pixels(UnsafeRawBufferPointer(owner.bytes), layout, owner: owner)
    }
    var received = 0
    for try await frame in engine.follow(images, mode: .every) {
      received = frame.number
      if received == 20 { break }
    }
    // Those that were received, and up to four more.
    var count = 0
    for await _ in released.prefix(20) { count += 1 }
    #expect(received == 20 && count == 20)
  }
}
