import Client
import FaceCore
import Service
import ServiceTestSupport
import Testing
import Wire

/// Several images in one call or in a few.
@Suite struct ClientBatchTests {
  /// Runs `body` on encoded images of these sizes, each full of its index.
  private func withImages<Value>(_ sizes: [Int], _ body: ([ImageInput]) throws -> Value) rethrows -> Value {
    let images = sizes.enumerated().map { index, size in
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: index + 1))
      return bytes
    }
    defer { for image in images { image.deallocate() } }
    return try body(images.map { ImageInput(.encoded(UnsafeRawBufferPointer($0))) })
  }

  private func expect(_ outcomes: [ImageOutcome], _ sizes: [Int]) throws {
    #expect(outcomes.count == sizes.count)
    for (index, outcome) in outcomes.enumerated() {
      let result = try outcome.get()
      #expect(result.imageSize.width == sizes[index])
      #expect(result.faces[0].box.x == Float(UInt8(truncatingIfNeeded: index + 1)))
    }
  }

  @Test(
    arguments: [
      [], [1], [10, 20, 30], [100_000, 5, 300_000], Array(repeating: 70_000, count: 5),
      [20 << 20, 20 << 20, 7, 1 << 20],
    ] as [[Int]])
  func resultsAreInTheImagesOrder(sizes: [Int]) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let outcomes = try withImages(sizes) { try client.detectBatch($0, options: DetectionOptions()) }
    try expect(outcomes, sizes)
  }

  @Test func batchBeyondTheLimitIsSplitIntoCalls() throws {
    let engine = try TestServer { $0.limits.batchImages = 4 }
    let client = try Client(socket: engine.socket)
    let sizes = (1...11).map { $0 * 9000 }
    let outcomes = try withImages(sizes) { try client.detectBatch($0, options: DetectionOptions()) }
    try expect(outcomes, sizes)
    #expect(try client.stats().methods.first { $0.method.hasSuffix("DetectBatch") }?.calls == 3)
  }

  @Test func failedImageLeavesTheOthersOfItsBatch() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let outcomes = try withImages([50_000, 60_000]) { images in
      try Array("bad".utf8).withUnsafeBytes { bad in
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        return try client.detectBatch(
          [images[0], ImageInput(.encoded(bad)), images[1], ImageInput(.encoded(empty))],
          options: DetectionOptions())
      }
    }
    #expect(outcomes.count == 4)
    try expect([outcomes[0]], [50_000])
    #expect(throws: Status.self) { try outcomes[1].get() }
    #expect(try outcomes[2].get().imageSize.width == 60_000)
    #expect(throws: Status.self) { try outcomes[3].get() }
  }

  /// Without shared memory, an image that fits into no message fails by itself.
  @Test func tooLargeAnImageFailsAlone() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 1000 }
    let client = try Client(socket: engine.socket)
    let sizes = [3 << 20, 5 << 20, 3 << 20]
    let outcomes = try withImages(sizes) { try client.detectBatch($0, options: DetectionOptions()) }
    #expect(outcomes.count == 3)
    #expect(try outcomes[0].get().imageSize.width == 3 << 20)
    guard case .failure(let status) = outcomes[1] else {
      Issue.record("5 MiB in a message")
      return
    }
    #expect(status.code == .resourceExhausted)
    #expect(try outcomes[2].get().imageSize.width == 3 << 20)
  }

  @Test func errorOfTheWholeBatchIsThrown() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    var options = DetectionOptions()
    options.minConfidence = 2
    let wrong = #expect(throws: Status.self) { try client.detectBatch([], options: options) }
    #expect(wrong?.code == .invalidArgument)
    engine.detector.hold()
    let late = withImages([10, 20]) { images in
      #expect(throws: Status.self) {
        try client.detectBatch(
          images, options: DetectionOptions(), cancellation: CancellationToken(timeout: .milliseconds(20)))
      }
    }
    #expect(late?.code == .deadlineExceeded)
    engine.detector.release()
  }
}
