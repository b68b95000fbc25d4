import FaceCore
import Testing
import Wire

/// A message's place in a buffer is checked against the buffer; the reference counts every byte with numbers
/// that cannot overflow.
@Suite struct MessageImageTests {
  private let buffer = [UInt8]((0..<2000).map { UInt8(truncatingIfNeeded: $0) })
  private let wild: [UInt64] = [
    0, 1, 15, 16, 743, 744, 745, 1999, 2000, 2001, 1 << 31, 1 << 32, 1 << 63, .max,
  ]

  @Test func partOutsideTheBytesIsRefused() {
    buffer.withUnsafeBytes { bytes in
      for offset in wild {
        for size in wild {
          let fits = Double(offset) + Double(size) <= 2000
          let part = SharedBytes(buffer: 1, offset: offset, size: size)
          let taken = try? part.bytes(of: bytes)
          #expect((taken != nil) == fits)
          if let taken {
            #expect(taken.count == Int(size))
            if size > 0 { #expect(taken[0] == buffer[Int(offset)]) }
          }
        }
      }
    }
  }

  @Test(arguments: PixelFormat.packed)
  func partOutsideThePixelsIsRefused(format: PixelFormat) {
    buffer.withUnsafeBytes { bytes in
      for offset in wild {
        for stride in [0, 15, 16, 32, 48, 64, 100, 131_072, 131_073, .max] as [UInt32] {
          for (width, height) in [(16, 16), (17, 16), (16, 17), (15, 16), (16, 16_385), (.max, .max), (0, 0)]
            as [(UInt32, UInt32)]
          {
            let part = SharedPixels(
              buffer: 1, offset: offset,
              PixelLayout(format: format, width: Int(width), height: Int(height), stride: Int(stride)))
            let row = Double(width) * Double(format.rowBytes(plane: 0, width: 1))
            let step = stride == 0 ? row : Double(stride)
            let sides = 16.0...16_384.0
            let fits =
              sides.contains(Double(width)) && sides.contains(Double(height)) && step >= row
              && step <= 131_072
              && Double(offset) + step * (Double(height) - 1) + row <= 2000
            let view = try? part.view(of: bytes)
            #expect((view != nil) == fits)
            if let view { #expect(view.bytes.first == buffer[Int(offset)]) }
          }
        }
      }
    }
  }

  @Test(arguments: [[0x1a, 0], [0x22, 2, 0x18, 12], [0x22, 2, 0x18, 0]] as [[UInt8]])
  func wrongSharedImagesAreRefused(image: [UInt8]) {
    #expect(throws: Status.self) { try MessageImage.decoding(image.span) { _ in } }
  }
}
