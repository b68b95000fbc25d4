import FaceCore
import TestSupport
import Testing

@Suite struct PixelLayoutTests {
  /// The planes follow one another; the reference adds up rows and chroma as ImageView's comment says.
  @Test(arguments: PixelFormat.allCases, [(16, 16), (17, 19), (18, 17), (8192, 16)])
  func planesFollowOneAnother(format: PixelFormat, size: (width: Int, height: Int)) throws {
    let row = format.rowBytes(plane: 0, width: size.width)
    for stride in [0, row, row + 1, row + 7] {
      let layout = PixelLayout(format: format, width: size.width, height: size.height, stride: stride)
      try layout.validate()
      let step = stride == 0 ? row : stride
      var expected = step * size.height
      var starts = [0]
      for plane in 1..<max(1, format.planeCount) {
        starts.append(expected)
        let chroma = format == .i420 ? (step + 1) / 2 : (step + 1) / 2 * 2
        expected += chroma * format.rows(plane: plane, height: size.height)
      }
      #expect(layout.byteCount == expected)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: expected, alignment: 1)
      defer { memory.deallocate() }
      let bytes = UnsafeRawBufferPointer(memory)
      let view = try layout.view(of: bytes)
      for (index, start) in starts.enumerated() {
        #expect(view.plane(index).bytes.baseAddress == bytes.baseAddress.map { $0 + start })
        #expect(view.plane(index).stride == layout.plane(index).stride)
      }
      // The gap behind the last row may be missing, its last pixel may not.
      let last = format.planeCount - 1
      let used = starts[last] + view.usedBytes(plane: last)
      #expect(throws: Never.self) { try layout.view(of: UnsafeRawBufferPointer(rebasing: bytes[..<used])) }
      #expect(throws: Status.self) {
        try layout.view(of: UnsafeRawBufferPointer(rebasing: bytes[..<(used - 1)]))
      }
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func copyHasThePackedLayout(format: PixelFormat) throws {
    let gap = PixelLayout(format: format, width: 17, height: 19, stride: 80)
    let bytes = (0..<gap.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try bytes.withUnsafeBytes { bytes in
      let view = try gap.view(of: bytes)
      #expect(view.packedByteCount == view.packedLayout.byteCount)
      let copy = try HeldImage(copyOf: ImageInput(.pixels(view)))
      guard case .pixels(let packed) = copy.input.source else {
        Issue.record("the copy is no image")
        return
      }
      for index in 0..<format.planeCount {
        let row = format.rowBytes(plane: index, width: 17)
        #expect(packed.plane(index).stride == row)
        for line in 0..<format.rows(plane: index, height: 19) {
          let before = view.plane(index).bytes.dropFirst(line * view.plane(index).stride).prefix(row)
          #expect(packed.plane(index).bytes.dropFirst(line * row).prefix(row).elementsEqual(before))
        }
      }
    }
  }

  @Test func planeOffsetsInsideTheBufferAreAllowedAndOthersNamed() throws {
    let bytes = [UInt8](repeating: 1, count: 1000)
    try bytes.withUnsafeBytes { bytes in
      var layout = PixelLayout(
        format: .nv12, width: 16, height: 16,
        chroma: [PixelLayout.Plane(offset: 500, stride: 20)])
      let view = try layout.view(of: bytes)
      #expect(view.plane(1).bytes.baseAddress == bytes.baseAddress.map { $0 + 500 })
      #expect(view.plane(1).stride == 20)
      for offset in [1001, 1 << 63, UInt64.max] {
        layout.chroma[0].offset = offset
        expectFailure("chroma[0].offset is \(offset)") { try layout.view(of: bytes) }
      }
    }
  }

  @Test(arguments: [
    PixelLayout(format: .gray, width: 15, height: 16), PixelLayout(format: .gray, width: 16, height: 16_385),
    PixelLayout(format: .gray, width: .max, height: .max),
  ])
  func sizesAreLimited(layout: PixelLayout) {
    expectFailure(.outOfRange) { try layout.validate() }
  }

  @Test(arguments: [
    PixelLayout(format: .rgb, width: 16, height: 16, stride: 47),
    PixelLayout(format: .rgb, width: 16, height: 16, stride: -1),
    PixelLayout(format: .rgb, width: 16, height: 16, stride: 131_073),
    PixelLayout(format: .i420, width: 16, height: 16, stride: .max),
    PixelLayout(format: .nv12, width: 16, height: 16, chroma: [.init(offset: 0, stride: 15)]),
    PixelLayout(format: .nv12, width: 16, height: 16, chroma: [.init(offset: 0), .init(offset: 0)]),
    PixelLayout(format: .rgb, width: 16, height: 16, chroma: [.init(offset: 0)]),
  ])
  func wrongStridesAndPlanesAreRefused(layout: PixelLayout) {
    expectFailure(.invalidArgument) { try layout.validate() }
    _ = [UInt8](repeating: 0, count: 4096).withUnsafeBytes { bytes in
      #expect(throws: Status.self) { try layout.view(of: bytes) }
    }
  }
}
