import FaceCore
import Inference
import TestSupport
import Testing

@Suite struct PixelInputTests {
  private func problem(
    stride: Int, _ width: Int, _ height: Int, in inputWidth: Int, _ inputHeight: Int
  ) -> Status? {
    failure { () throws(Status) in
      _ = try PixelInput(
        pixels: UnsafeBufferPointer(start: nil, count: 0), stride: stride, width: width, height: height,
        inputWidth: inputWidth, inputHeight: inputHeight, isRedFirst: false, mean: .zero, scale: .one)
    }
  }

  @Test(arguments: [0, -1, Int.min, Int.max, 16_385])
  func outOfRangeSizesAreRefused(number: Int) {
    #expect(problem(stride: 128, number, 32, in: 32, 32)?.code == .invalidArgument)
    #expect(problem(stride: 128, 32, number, in: 32, 32)?.code == .invalidArgument)
    #expect(problem(stride: 128, 32, 32, in: number, 32)?.code == .invalidArgument)
    #expect(problem(stride: 128, 32, 32, in: 32, number)?.code == .invalidArgument)
    #expect(problem(stride: number, 32, 32, in: 32, 32)?.code == .invalidArgument)
  }

  private final class NoRows: PixelRows {
    let source = UnsafeRawBufferPointer(start: nil, count: 0)

    func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status) {}
  }

  @Test func rowsAreOnlyForNetworksThatReadThem() throws {
    func rows(_ width: Int, _ height: Int) throws(Status) -> PixelInput {
      try PixelInput(
        rows: NoRows(), width: width, height: height, inputWidth: 32, inputHeight: 32, isRedFirst: false,
        mean: .zero, scale: .one)
    }
    for (width, height) in [(0, 32), (33, 32), (32, -1), (32, Int.max)] {
      expectFailure(.invalidArgument) { try rows(width, height) }
    }
    let input = try rows(32, 32)
    expectFailure(.invalidArgument) { try Tensor(input) }
  }

  @Test func theLastRowMayEndWithItsLastPixel() {
    let pixels = [UInt8](repeating: 9, count: 20 + 12)
    pixels.withUnsafeBufferPointer { pixels in
      func make(_ count: Int) -> Status? {
        failure { () throws(Status) in
          _ = try PixelInput(
            pixels: UnsafeBufferPointer(rebasing: pixels[..<count]), stride: 20, width: 3, height: 2,
            inputWidth: 4, inputHeight: 4, isRedFirst: false, mean: .zero, scale: .one)
        }
      }
      #expect(make(32) == nil)
      #expect(make(31)?.code == .invalidArgument)
    }
  }
}
