import Client
import FaceCore
import Foundation
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing

/// Pixels in memory that the caller shares are read in place.
@Suite struct ClientMemoryTests {
  private func detect(_ client: Client, _ memory: ClientMemory, _ part: Range<Int>? = nil) throws
    -> DetectionResult
  {
    let bytes = UnsafeRawBufferPointer(rebasing: memory.bytes[part ?? 0..<memory.bytes.count])
    return try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
  }

  @Test func imageIsNotCopied() throws {
    let served = try Served()
    let memory = try ClientMemory(size: 3_000_000)
    for mark in 1...5 as ClosedRange<UInt8> {
      memory.bytes[1000] = mark
      let result = try detect(served.client, memory, 1000..<2_500_000)
      #expect(result.imageSize.width == 2_499_000 && result.faces[0].box.x == Float(mark))
    }
    // Only the memory was offered, and once.
    #expect(try served.client.stats().mappedBytes == 3_000_000)
  }

  /// Planes in their order are named; in the reverse order they are copied. The faces are the same either
  /// way.
  @Test(arguments: PixelFormat.allCases, [false, true])
  func planesInSharedMemoryAreNamedOrCopied(format: PixelFormat, reversed: Bool) throws {
    let served = try Served()
    let (width, height) = (641, 481)
    let memory = try ClientMemory(size: 4 << 20)
    for index in memory.bytes.indices { memory.bytes[index] = UInt8(truncatingIfNeeded: index / 1000) }
    let order = reversed ? Array((0..<format.planeCount).reversed()) : Array(0..<format.planeCount)
    var places: [Int: (Int, Int)] = [:]
    var end = 4096
    for index in order {
      let stride = format.rowBytes(plane: index, width: width) + 32
      places[index] = (end, stride)
      end += stride * format.rows(plane: index, height: height) + 100
    }
    let planes = (0..<format.planeCount).map { index in
      let (start, stride) = places[index] ?? (0, 0)
      return ImageView.Plane(UnsafeRawBufferPointer(rebasing: memory.bytes[start...]), stride: stride)
    }
    var input = ImageInput(
      .pixels(try ImageView(format: format, width: width, height: height, planes: planes)),
      orientation: .rightMirrored)
    input.isMirrored = true
    input.region = Box(x: 2, y: 3, width: 4, height: 5)
    let options = adjusted(DetectionOptions()) { $0.outputs = .all }
    #expect(try served.client.detect(input, options: options) == FakeDetector.expected(input, options))
    if !reversed { #expect(try served.client.stats().mappedBytes == 4 << 20) }
  }

  @Test func freedMemoryIsUnmappedByTheEngine() throws {
    let served = try Served { $0.limits.buffersPerConnection = 2 }
    for _ in 0..<10 {
      let memory = try ClientMemory(size: 1 << 20)
      memory.bytes[0] = 9
      #expect(try detect(served.client, memory).imageSize.width == 1 << 20)
    }
    let last = try ClientMemory(size: 1 << 19)
    // The earlier ones were unmapped, though a worker may hold one a moment longer.
    let isUnmapped = try comesTrue {
      #expect(try detect(served.client, last).imageSize.width == 1 << 19)
      return try served.client.stats().mappedBytes == 1 << 19
    }
    #expect(isUnmapped)
  }

  /// The memory is larger than the engine maps: images in it are copied, like any others.
  @Test func refusedMemoryIsCopied() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 6 << 20 }
    let other = try served.other()
    let memory = try ClientMemory(size: 4 << 20)
    for client in [served.client, other, served.client, other] {
      #expect(try detect(client, memory, 0..<1_000_000).imageSize.width == 1_000_000)
    }
  }

  @Test func severalThreadsUseOneMemory() throws {
    let served = try Served()
    let memory = try ClientMemory(size: 8 << 20)
    for index in 0..<8 { memory.bytes[index << 20] = UInt8(index + 1) }
    try concurrently(8) { index in
      for _ in 0..<20 {
        let result = try? detect(served.client, memory, index << 20..<(index + 1) << 20)
        #expect(result?.faces.first?.box.x == Float(index + 1))
      }
    }
  }

  @Test func streamReadsCallersMemory() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every))
    let memory = try ClientMemory(size: 4 << 20)
    let released = Counter()
    for index in 0..<4 {
      memory.bytes[index << 20] = UInt8(index + 1)
      let part = UnsafeRawBufferPointer(rebasing: memory.bytes[index << 20..<(index + 1) << 20])
      let image = HeldImage(ImageInput(.encoded(part))) { released.add() }
      _ = try stream.submit(image, timestamp: 0)
    }
    served.log.wait(for: 4)
    #expect(served.log.marks == [1, 2, 3, 4])
    #expect(try served.client.stats().mappedBytes == 4 << 20)
    stream.close()
    #expect(released.value == 4)
  }

  // MARK: Making and importing

  @Test(arguments: [0, -1, ClientMemory.maxSize + 1, .max])
  func sizesAreChecked(size: Int) {
    expectFailure(.invalidArgument) { try ClientMemory(size: size) }
  }

  @Test func importedMemoryIsTheSame() throws {
    let served = try Served()
    let file = try MemoryFile(size: 100_000)
    file.bytes[0] = 42
    let memory = try ClientMemory(importing: file.descriptor.raw)
    #expect(memory.bytes.count == 100_000)
    #expect(try detect(served.client, memory).faces[0].box.x == 42)
    memory.bytes[0] = 43
    #expect(file.bytes[0] == 43)
  }

  @Test func onlySealedMemoryIsImported() throws {
    let open = try MemoryFile(size: 4096, isSealed: false)
    expectFailure(.permissionDenied) { try ClientMemory(importing: open.descriptor.raw) }
    for number in [-1, 9999] as [Int32] {
      expectFailure(.invalidArgument) { try ClientMemory(importing: number) }
    }
    let file = failure { () throws(Status) in _ = try ClientMemory(importing: 0) }
    #expect(file?.code == .permissionDenied || file?.code == .invalidArgument)
  }
}
