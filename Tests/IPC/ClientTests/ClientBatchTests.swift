import Client
import FaceCore
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// Several images in one call or in a few.
@Suite struct ClientBatchTests {
  /// The outcomes of encoded images of these sizes, each full of its place.
  private func outcomes(
    _ client: Client, _ sizes: [Int], timeout: TimeSpan = .zero
  ) throws -> [ImageOutcome] {
    let images = sizes.enumerated().map { index, size in
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1))
      return bytes
    }
    defer { for image in images { image.deallocate() } }
    return try client.detectBatch(
      images.map { ImageInput(.encoded(UnsafeRawBufferPointer($0))) }, options: DetectionOptions(),
      cancellation: CancellationToken(timeout: timeout))
  }

  private func expect(_ outcome: ImageOutcome, at index: Int, _ size: Int) throws {
    let result = try outcome.get()
    #expect(result.imageSize.width == size && result.faces[0].box.x == Float(index + 1))
  }

  @Test(
    arguments: [
      [], [1], [10, 20, 30], [100_000, 5, 300_000], Array(repeating: 70_000, count: 5),
      [20 << 20, 20 << 20, 7, 1 << 20],
    ] as [[Int]])
  func resultsAreInTheImagesOrder(sizes: [Int]) throws {
    let served = try Served()
    let outcomes = try outcomes(served.client, sizes)
    #expect(outcomes.count == sizes.count)
    for (index, size) in sizes.enumerated() { try expect(outcomes[index], at: index, size) }
  }

  @Test func batchBeyondTheLimitIsSplitIntoCalls() throws {
    let served = try Served { $0.limits.batchImages = 4 }
    let sizes = (1...11).map { $0 * 9000 }
    let outcomes = try outcomes(served.client, sizes)
    for (index, size) in sizes.enumerated() { try expect(outcomes[index], at: index, size) }
    #expect(try served.client.stats().methods.first { $0.method.hasSuffix("DetectBatch") }?.calls == 3)
  }

  /// An empty image fails by itself; without shared memory, so does one that fits into no message.
  @Test(arguments: [(0, 128 << 20, StatusCode.invalidArgument), (5 << 20, 1000, .resourceExhausted)])
  func failedImageLeavesTheOthersOfItsBatch(size: Int, mapped: Int, code: StatusCode) throws {
    let served = try Served { $0.limits.mappedBytesPerUser = mapped }
    let sizes = [3 << 20, size, 3 << 20]
    let outcomes = try outcomes(served.client, sizes)
    #expect(outcomes.count == 3)
    for index in [0, 2] { try expect(outcomes[index], at: index, sizes[index]) }
    expectFailure(code) { try outcomes[1].get() }
  }

  @Test func errorOfTheWholeBatchIsThrown() throws {
    let served = try Served()
    let options = adjusted(DetectionOptions()) { $0.minConfidence = 2 }
    expectFailure(.invalidArgument) { try served.client.detectBatch([], options: options) }
    served.detector.hold()
    expectFailure(.deadlineExceeded) {
      try outcomes(served.client, [10, 20], timeout: .milliseconds(20))
    }
    served.detector.release()
  }
}
