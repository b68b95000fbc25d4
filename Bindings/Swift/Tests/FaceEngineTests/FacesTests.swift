import FaceEngine
import FaceEngineDraw
import Foundation
import Testing

@Suite struct FacesTests {
  @Test func findsTheSameFacesInEveryKindOfImage() async throws {
    let engine = try await FaceEngine.load()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Support.photo)))
    let pixels = try Picture(.encoded(bytes)).pixels(.rgb)
    let memory = try SharedMemory(byteCount: pixels.count)
    memory.withUnsafeMutableBytes { $0.copyBytes(from: pixels) }
    let owner = Owner(pixels)

    let expected = try await engine.faces(in: .file(Support.photo))
    #expect(expected.count == 1)
    #expect(expected.imageSize == Size(width: 512, height: 600))
    #expect(expected.models.first?.name == "yunet")
    let image = Image.pixels(pixels, Support.layout)
    let fromPixels = try await engine.faces(in: image)
    #expect(fromPixels.first?.box == expected.first?.box)
    #expect(try await engine.faces(in: .encoded(bytes)) == expected)
    #expect(try await engine.faces(in: .shared(memory, Support.layout)) == fromPixels)
    #expect(try await engine.faces(in: .pixels(owner.bytes, Support.layout, owner: owner)) == fromPixels)
    #expect(try await engine.faces(in: pixels.span.bytes, Support.layout) == fromPixels)
    #expect(try wait(engine, pixels) == fromPixels)
    #expect(try await engine.faces(in: .file(URL(fileURLWithPath: Support.photo))) == expected)
    #expect(try await engine.faces(in: .encoded(Data(bytes))) == expected)
  }

  @Test func callsWithoutTasksFindTheSame() throws {
    let engine = try FaceEngine.loadAndWait()
    #expect(try engine.facesAndWait(in: .file(Support.photo)).count == 1)
  }

  private func wait(_ engine: FaceEngine, _ pixels: [UInt8]) throws -> Faces {
    try engine.facesAndWait(in: pixels.span.bytes, Support.layout)
  }

  @Test func planesOfEveryFormatLieWhereTheLibraryExpectsThem() async throws {
    let engine = try await FaceEngine.load()
    for format in PixelFormat.allCases where format != .encoded {
      let layout = PixelLayout(format, width: 65, height: 33)
      let pixels = [UInt8](repeating: 128, count: layout.byteCount)
      #expect(try await engine.faces(in: .pixels(pixels, layout)).isEmpty, "\(format)")
      await #expect(throws: FaceError.self, "\(format) one byte short") {
        try await engine.faces(in: .pixels(Array(pixels.dropLast()), layout))
      }
    }
  }

  @Test func measuresWhatIsRequested() async throws {
    let engine = try await FaceEngine.load()
    let plain = try #require(try await engine.faces(in: .file(Support.photo)).first)
    #expect(plain.points != nil)
    #expect(plain.pose == nil && plain.landmarks == nil && plain.id == nil)
    let face = try #require(try await engine.faces(in: .file(Support.photo), .all).first)
    #expect(face.landmarks?.points.count == 478)
    #expect(face.landmarks?.leftEye.count == 16)
    #expect(abs(try #require(face.pose).yaw) < 10)
    #expect(face.mouth?.hasSmile == false && face.eyes?.leftEyeClosed == false)
    #expect(face.expressions.map { (0...1).contains($0[.jawOpen]) } == true)
    #expect(face.isoQuality?.component(of: .headPoseYaw).map { (0...100).contains($0) } == true)
    #expect(face.transform?.count == 16 && face.gaze?.count == 12 && face.precision?.count == 478)
  }

  @Test func aFaceLooksAtAScreen() async throws {
    let engine = try await FaceEngine.load()
    let face = try #require(try await engine.faces(in: .file(Support.photo), .gaze).first)
    let point = try #require(try face.lookAt(Screen(width: 34, height: 19)))
    let lower = try #require(try face.lookAt(Screen(width: 34, height: 19, gap: -19)))
    #expect(abs(lower.x - point.x) < 0.001 && abs(lower.y - point.y - 1) < 0.001)
    let behind = Screen(
      topLeft: [17, -1, -200], topRight: [-17, -1, -200], bottomLeft: [17, -20, -200])
    #expect(try face.lookAt(behind) == nil)
    #expect(throws: FaceError.self) { try face.lookAt(Screen(width: 0, height: 0)) }
    let plain = try #require(try await engine.faces(in: .file(Support.photo)).first)
    #expect(throws: FaceError.self) { try plain.lookAt(Screen(width: 34, height: 19)) }
  }

  @Test func optionsReachTheLibrary() async throws {
    let engine = try await FaceEngine.load("yunet", "centerface")
    func count(_ options: DetectOptions) async throws(FaceError) -> Int {
      try await engine.faces(in: .file(Support.photo), options: options).count
    }
    #expect(try await count(DetectOptions(minFaceSize: 5000)) == 0)
    #expect(try await count(DetectOptions(accuracy: .low, rotations: .any)) == 1)
    #expect(try await count(DetectOptions(model: "centerface")) == 1)
    await #expect(throws: FaceError(.invalidArgument, "maxFaces is -1; use 0 to 4294967295")) {
      try await count(DetectOptions(maxFaces: -1))
    }
    await fails(with: .invalidArgument) { try await count(DetectOptions(minConfidence: 2)) }
    await fails(with: .notFound) { try await count(DetectOptions(model: "none")) }
    await fails(with: .deadlineExceeded) { try await count(DetectOptions(timeout: .nanoseconds(1))) }
    let boxes = [Box(x: 170, y: 120, width: 190, height: 220)]
    let measured = try await engine.faces(
      in: .file(Support.photo), .pose, options: DetectOptions(boxes: boxes))
    #expect(measured.map(\.box) == boxes && measured[0].pose != nil)
    #expect(
      try await engine.faces(in: .file(Support.photo), .pose, options: DetectOptions(boxes: [])).isEmpty)
  }

  @Test func errorsSayWhatIsWrong() async throws {
    let engine = try await FaceEngine.load()
    await fails(with: .notFound) { try await engine.faces(in: .file("/none.jpg")) }
    await fails(with: .invalidArgument) { try await engine.faces(in: .encoded([1, 2, 3])) }
    await fails(with: .outOfRange) {
      try await engine.faces(in: .pixels([], PixelLayout(.rgb, width: 1 << 40, height: 1)))
    }
    await fails(with: .invalidArgument) { try await engine.faces(in: .pixels([], Support.layout)) }
    await fails(with: .notFound) { try await FaceEngine.load("/none") }
    await fails(with: .unavailable) { try await FaceEngine.connect(to: "/none/socket") }
  }

  @Test func anImageThatFailsDoesNotFailTheOthers() async throws {
    let engine = try await FaceEngine.load()
    let results = try await engine.faces(in: [.file(Support.photo), .file("/none.jpg"), .file(Support.photo)])
    #expect(results.map { (try? $0.get())?.count } == [1, nil, 1])
  }

  @Test func manyTasksUseAnEngine() async throws {
    let engine = try await FaceEngine.load()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<32 { group.addTask { try await engine.faces(in: .file(Support.photo)).count } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 1, count: 32))
  }

  @Test func aConnectedEngineHasTheSameMethods() async throws {
    let server = try Server()
    let engine = try await FaceEngine.connect(to: server.socket)
    let loaded = try await FaceEngine.load()
    #expect(
      try await engine.faces(in: .file(Support.photo), .all) == loaded.faces(in: .file(Support.photo), .all))
  }

  /// Memory of another library.
  private final class Owner: Sendable {
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    init(_ pixels: [UInt8]) {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: pixels.count, alignment: 16)
      copy.copyBytes(from: pixels)
      bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
  }
}

func fails<Result>(
  with code: Status, _ body: () async throws -> Result, location: SourceLocation = #_sourceLocation
) async {
  do {
    let result = try await body()
    Issue.record("no failure, but \(result)", sourceLocation: location)
  } catch let error as FaceError {
    #expect(error.code == code, "\(error)", sourceLocation: location)
    #expect(!error.message.isEmpty, sourceLocation: location)
  } catch { Issue.record(error, sourceLocation: location) }
}
