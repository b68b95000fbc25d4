import FaceCore
import TestSupport
import Testing
import Wire

/// Pictures of several planes, the properties of a picture, and the options that accompany it.
@Suite struct ImageCodingTests {
  private func expectSame(_ a: ImageView, _ b: ImageView) {
    #expect(a.format == b.format && a.size == b.size && a.colour == b.colour)
    for index in 0..<a.planeCount {
      let used = a.usedBytes(plane: index)
      #expect(a.plane(index).stride == b.plane(index).stride)
      #expect(a.plane(index).bytes.prefix(used).elementsEqual(b.plane(index).bytes.prefix(used)))
    }
  }

  /// Odd sizes, a gap after each row, and planes in memory in the reverse order.
  @Test(arguments: PixelFormat.allCases, [(16, 16), (33, 17), (20, 31)])
  func planesRoundTrip(format: PixelFormat, size: (Int, Int)) throws {
    let (width, height) = size
    let strides = (0..<format.planeCount).map { format.rowBytes(plane: $0, width: width) + 5 - $0 }
    let sizes = (0..<format.planeCount).map { strides[$0] * format.rows(plane: $0, height: height) }
    let data = (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try data.withUnsafeBytes { bytes in
      var end = bytes.count
      let planes = (0..<format.planeCount).map { index in
        defer { end -= sizes[index] }
        return ImageView.Plane(
          UnsafeRawBufferPointer(rebasing: bytes[end - sizes[index]..<end]), stride: strides[index])
      }
      let view = try ImageView(
        format: format, width: width, height: height, colour: .bt709Video, planes: planes)
      var input = ImageInput(.pixels(view), orientation: .leftMirrored)
      input.isMirrored = true
      input.region = Box(x: -3, y: 1.5, width: 7, height: 1e6)
      input.pixelAspect = 1.0667
      try Sent.detect(MessageImage(input)) { (image) throws(Status) in
        guard case .pixels(let received) = image.source else { throw Status(.internal, "not pixels") }
        expectSame(received, view)
        let again = image.input(.pixels(received))
        #expect(again.orientation == .leftMirrored && again.isMirrored && again.region == input.region)
        #expect(again.pixelAspect == 1.0667)
      }
    }
  }

  /// Without chroma in the message, planes are contiguous.
  @Test(arguments: PixelFormat.allCases)
  func planesFollowOneAnother(format: PixelFormat) throws {
    let size = (0..<format.planeCount).reduce(0) {
      $0 + format.rowBytes(plane: $1, width: 17) * format.rows(plane: $1, height: 19)
    }
    let buffer = (0..<size + 7).map { UInt8(truncatingIfNeeded: $0) }
    try buffer.withUnsafeBytes { bytes in
      let part = SharedPixels(buffer: 1, offset: 7, PixelLayout(format: format, width: 17, height: 19))
      let view = try part.view(of: bytes)
      var start = 7
      for index in 0..<format.planeCount {
        #expect(view.plane(index).bytes.first == UInt8(truncatingIfNeeded: start))
        start += format.rowBytes(plane: index, width: 17) * format.rows(plane: index, height: 19)
      }
      let short = SharedPixels(buffer: 1, offset: 8, PixelLayout(format: format, width: 17, height: 19))
      #expect(throws: Status.self) { try short.view(of: bytes) }
    }
  }

  /// The reference counts every byte with numbers that cannot overflow.
  @Test func sharedPlanesMustLieInTheBuffer() {
    let buffer = [UInt8](repeating: 1, count: 2000)
    buffer.withUnsafeBytes { bytes in
      for offset in [0, 16, 1743, 1744, 2000, .max] as [UInt64] {
        for first in [0, 255, 256, 1871, 1872, 1873, 2000, 2001, 1 << 63, .max] as [UInt64] {
          for stride in [0, 15, 16, 20, 131_072, 131_073, .max] as [UInt32] {
            let part = SharedPixels(
              buffer: 1, offset: offset,
              PixelLayout(
                format: .nv12, width: 16, height: 16,
                chroma: [PixelLayout.Plane(offset: first, stride: Int(stride))]))
            let step = stride == 0 ? 16 : Double(stride)
            let fits =
              Double(offset) + 256 <= 2000 && step >= 16 && step <= 131_072
              && Double(offset) + Double(first) + step * 7 + 16 <= 2000
            #expect(((try? part.view(of: bytes)) != nil) == fits, "\(offset) \(first) \(stride)")
          }
        }
      }
    }
  }

  @Test(arguments: PixelFormat.allCases, 1...5)
  func numberOfPlanesMustMatchTheFormat(format: PixelFormat, chroma: Int) {
    let buffer = [UInt8](repeating: 1, count: 5000)
    let part = SharedPixels(
      buffer: 1, offset: 0,
      PixelLayout(
        format: format, width: 16, height: 16,
        chroma: Array(repeating: PixelLayout.Plane(offset: 1024), count: chroma)))
    let taken = buffer.withUnsafeBytes { bytes in (try? part.view(of: bytes)) != nil }
    #expect(taken == (chroma == format.planeCount - 1))
  }

  /// One byte each: pixels or shared pixels with an unknown colour.
  @Test(arguments: [[0x12, 4, 0x08, 6, 0x38, 4], [0x22, 4, 0x18, 6, 0x40, 4]] as [[UInt8]])
  func colourIsChecked(image: [UInt8]) {
    expectFailure(.invalidArgument, "colour") { try MessageImage.decoding(image.span) { _ in } }
  }

  @Test(arguments: [
    (Float(0), Float(1)), (1, 0), (-1, 1), (.nan, 1), (1, .infinity), (-0.0, 1),
  ])
  func regionIsChecked(width: Float, height: Float) {
    var image = Sent.image
    image.region = Box(x: 0, y: 0, width: width, height: height)
    expectFailure(.invalidArgument, "image.region") { try Sent.detect(image) }
  }

  // MARK: Options

  @Test(
    arguments: [
      ([0x60, 4], "accuracy"), ([0x60, 0x84, 2], "accuracy"), ([0x6a, 2, 0xc3, 0x28], "model"),
    ] as [([UInt8], String)])
  func wrongOptionsAreNamed(options: [UInt8], name: String) {
    let message = [0x0a, 3, 0x0a, 1, 1, 0x12, UInt8(options.count)] + options
    expectFailure(.invalidArgument, name) { try DetectCall.withRequest(message.span) { _, _ in } }
  }
}
