import FaceCore
import TestSupport
import Testing

@Suite struct ImageViewTests {
  /// The code of the refusal, or `ok`.
  private func code(_ width: Int, _ height: Int) -> StatusCode {
    // The view never reads, so a count is all that matters of the memory.
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: 4096), count: 16_385 * 16_385 * 4)
    return failure { () throws(Status) in
      _ = try ImageView(format: .rgba, width: width, height: height, bytes: bytes)
    }?.code ?? .ok
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
    for (width, height) in [(16, 16), (16_384, 16), (16, 16_384), (16_384, 16_384)] {
      #expect(code(width, height) == .ok)
    }
    for (width, height) in [
      (15, 16), (16, 15), (16_385, 16), (16, 16_385), (0, 0), (-16, 16), (Int.max, 16), (16, Int.min),
    ] {
      #expect(code(width, height) == .outOfRange, "\(width)×\(height)")
    }
  }

  @Test func emptyBufferIsRefused() {
    expectFailure(.invalidArgument) {
      try ImageView(
        format: .gray, width: 16, height: 16, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
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
