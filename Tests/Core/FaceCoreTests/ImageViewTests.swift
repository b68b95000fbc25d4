import FaceCore
import TestSupport
import Testing

@Suite struct ImageViewTests {
  /// The code of the refusal, or `ok`.
  private func code(
    _ format: PixelFormat, _ width: Int, _ height: Int, stride: Int = 0, count: Int
  ) -> StatusCode {
    // The view never reads, so a count is all that matters of the memory.
    let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: count)
    return failure { () throws(Status) in
      _ = try ImageView(format: format, width: width, height: height, stride: stride, bytes: bytes)
    }?.code ?? .ok
  }

  @Test(arguments: zip(PixelFormat.packed, [4, 4, 3, 3, 1]))
  func aBufferMayEndWithTheLastPixelAndNotBefore(format: PixelFormat, pixelBytes: Int) {
    #expect(format.rowBytes(plane: 0, width: 1) == pixelBytes)
    let row = 33 * pixelBytes
    #expect(code(format, 33, 20, count: row * 20) == .ok)
    #expect(code(format, 33, 20, count: row * 20 - 1) == .invalidArgument)
    let padded = (row + 7) * 19 + row
    #expect(code(format, 33, 20, stride: row + 7, count: padded) == .ok)
    #expect(code(format, 33, 20, stride: row + 7, count: padded - 1) == .invalidArgument)
  }

  /// Planes one after the other: an odd width and height round up to whole chroma samples.
  @Test(arguments: [
    (PixelFormat.nv12, 33 * 21 + 34 * 11), (.nv21, 33 * 21 + 34 * 11), (.i420, 33 * 21 + 17 * 11 * 2),
    (.yuyv, 17 * 4 * 21), (.uyvy, 17 * 4 * 21), (.nv16, 33 * 21 + 34 * 21),
  ])
  func planesFollowOneAnother(format: PixelFormat, count: Int) {
    #expect(code(format, 33, 21, count: count) == .ok)
    #expect(code(format, 33, 21, count: count - 1) == .invalidArgument)
    #expect(code(format, 33, 21, stride: 80, count: count) == .invalidArgument)
    for stride in [-80, -1, Int.min, Int.max] {
      #expect(code(format, 33, 21, stride: stride, count: 1 << 30) == .invalidArgument)
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func planeCountAndSizesAreChecked(format: PixelFormat) {
    func code(_ sizes: [Int]) -> StatusCode {
      failure { () throws(Status) in
        _ = try ImageView(
          format: format, width: 33, height: 21,
          planes: sizes.map {
            ImageView.Plane(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: $0))
          })
      }?.code ?? .ok
    }
    let needed = (0..<format.planeCount).map {
      format.rowBytes(plane: $0, width: 33) * format.rows(plane: $0, height: 21)
    }
    #expect(code(needed) == .ok)
    #expect(code(needed + [1000]) == .invalidArgument)
    #expect(code(Array(needed.dropLast())) == .invalidArgument)
    for index in needed.indices {
      var short = needed
      short[index] -= 1
      #expect(code(short) == .invalidArgument, "plane \(index)")
    }
  }

  @Test func widthAndHeightHaveLimits() {
    let plenty = 16_385 * 16_385 * 4
    for (width, height) in [(16, 16), (16_384, 16), (16, 16_384), (16_384, 16_384)] {
      #expect(code(.rgba, width, height, count: plenty) == .ok)
    }
    for (width, height) in [
      (15, 16), (16, 15), (16_385, 16), (16, 16_385), (0, 0), (-16, 16), (Int.max, 16), (16, Int.min),
    ] {
      #expect(code(.rgba, width, height, count: plenty) == .outOfRange, "\(width)×\(height)")
    }
  }

  @Test func aStrideIsBytesAndHasLimits() {
    let plenty = 1 << 30
    #expect(code(.rgb, 100, 100, stride: 100, count: plenty) == .invalidArgument)
    #expect(code(.rgb, 100, 100, stride: 299, count: plenty) == .invalidArgument)
    #expect(code(.rgb, 100, 100, stride: 300, count: plenty) == .ok)
    #expect(code(.rgb, 100, 100, stride: 131_072, count: plenty) == .ok)
    for stride in [-300, -1, Int.min, 131_073, Int.max] {
      #expect(code(.rgb, 100, 100, stride: stride, count: plenty) == .invalidArgument, "\(stride)")
    }
  }

  @Test func emptyBufferIsRefused() {
    expectFailure(.invalidArgument) {
      try ImageView(
        format: .gray, width: 16, height: 16, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test func viewReturnsFormatSizeAndStride() throws {
    let bytes = [UInt8](repeating: 0, count: 64 * 20)
    try bytes.withView(.gray, size: PixelSize(width: 50, height: 20), stride: 64) { view throws(Status) in
      #expect(view.format == .gray)
      #expect(view.size == PixelSize(width: 50, height: 20))
      #expect(view.stride == 64)
    }
    try bytes.withView(.rgb, size: PixelSize(width: 20, height: 20)) { view throws(Status) in
      #expect(view.stride == 60)
    }
  }

  @Test func errorMessageNamesTheImageSize() {
    expectFailure("9000×7") { try ImageLimits.check(width: 9000, height: 7) }
  }

  /// A small file must not make the engine allocate a gigabyte.
  @Test func decodedPicturesHaveALowerPixelLimit() {
    func problem(_ width: Int, _ height: Int) -> Status? {
      failure { () throws(Status) in try ImageLimits.checkHeld(width: width, height: height) }
    }
    #expect(problem(8192, 8192) == nil && problem(16_384, 4096) == nil && problem(10_000, 3000) == nil)
    for (width, height) in [(8192, 8193), (16_384, 16_384), (16_385, 16), (15, 16)] {
      #expect(problem(width, height)?.code == .outOfRange, "\(width)×\(height)")
    }
  }
}
