import CProtocol
import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct DetectCallTests {
  /// The error of `DetectCall.withRequest`; `nil` if the request is accepted.
  private func refusal(_ payload: [UInt8]) -> Status? {
    failure { () throws(Status) in try DetectCall.withRequest(payload.span) { _, _ in } }
  }

  /// The same for a request made by `body`.
  private func refusal(_ body: (inout Faceengine__V1__Image, Pool) -> Void) -> Status? {
    refusal(
      Reference.pack(faceengine__v1__detect_request__init) { request, pool in
        let image = pool.array(1, of: Faceengine__V1__Image.self)
        faceengine__v1__image__init(image)
        body(&image.pointee, pool)
        request.image = image
      })
  }

  private func refusal(ofFile bytes: [UInt8], orientation: UInt32 = 0) -> Status? {
    refusal { image, pool in
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
      image.encoded = pool.bytes(bytes)
      image.orientation = .init(orientation)
    }
  }

  private func pixels(_ change: (inout Faceengine__V1__Pixels, Pool) -> Void) -> Status? {
    refusal { image, pool in
      let pixels = pool.array(1, of: Faceengine__V1__Pixels.self)
      faceengine__v1__pixels__init(pixels)
      pixels.pointee.format = FACEENGINE__V1__PIXEL_FORMAT__PIXEL_FORMAT_GRAY
      pixels.pointee.width = 16
      pixels.pointee.height = 16
      pixels.pointee.data = pool.bytes([UInt8](repeating: 0, count: 256))
      change(&pixels.pointee, pool)
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_PIXELS
      image.pixels = pixels
    }
  }

  @Test(arguments: [nil] + Orientation.allCases.map(Optional.some))
  func orientationsRoundTrip(orientation: Orientation?) throws {
    var image = Sent.image
    image.orientation = orientation
    try Sent.detect(image) { #expect($0.orientation == orientation) }
  }

  @Test(arguments: Accuracy.allCases) func accuraciesRoundTrip(accuracy: Accuracy) throws {
    let options = adjusted(DetectionOptions()) { $0.accuracy = accuracy }
    #expect(try Sent.detect(Sent.image, options) == options)
  }

  /// The image is one byte; a maximum side of 0 is none.
  @Test func absentOptionsHaveTheirDefaults() throws {
    let payload = field(1, field(1, [1])) + field(2, [0x28, 0])
    let expected = adjusted(DetectionOptions()) { $0.maxSide = 0 }
    try DetectCall.withRequest(payload.span) { (_, options) throws(Status) in #expect(options == expected) }
  }

  @Test func imageIsRequired() {
    #expect(refusal([])?.code == .invalidArgument)
    #expect(refusal { _, _ in }?.code == .invalidArgument)
    #expect(refusal(ofFile: [])?.message.contains("empty") == true)
  }

  @Test func enumsAreChecked() {
    #expect(pixels { _, _ in } == nil)
    for value in [0, 12, 256, 257, UInt32.max] {
      let status = pixels { pixels, _ in pixels.format = .init(value) }
      #expect(status?.code == .invalidArgument && status?.message.contains("GRAY") == true)
    }
    for value in [9, 256, 257, UInt32.max] {
      #expect(refusal(ofFile: [1], orientation: value)?.code == .invalidArgument)
    }
  }

  @Test func pixelsMustLieInTheirData() {
    #expect(pixels { pixels, _ in pixels.width = 0 }?.code == .outOfRange)
    #expect(pixels { pixels, _ in pixels.width = .max }?.code == .outOfRange)
    #expect(pixels { pixels, _ in pixels.height = 16_385 }?.code == .outOfRange)
    #expect(pixels { pixels, _ in pixels.height = 17 }?.code == .invalidArgument)
    #expect(pixels { pixels, _ in pixels.stride = 15 }?.code == .invalidArgument)
    #expect(pixels { pixels, _ in pixels.stride = .max }?.code == .invalidArgument)
    #expect(pixels { pixels, pool in pixels.data = pool.bytes([]) }?.code == .invalidArgument)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, -1, 2])
  func optionsAreChecked(value: Float) {
    let options = adjusted(DetectionOptions()) { $0.minConfidence = value }
    expectFailure(.invalidArgument) { try Sent.detect(Sent.image, options) }
  }

  @Test func excessiveUnknownFieldsAreRefused() {
    // Each takes two bytes encoded and about fifty decoded.
    let bomb = [UInt8]((0..<1_000_000).flatMap { _ in [0x78, 1] as [UInt8] })
    #expect(refusal(bomb)?.code == .resourceExhausted)
    #expect(refusal(field(1, field(1, [1])) + bomb.prefix(200))?.code == .unimplemented)
  }

  @Test func tooLargeRequestIsRefusedWithAdvice() throws {
    let data = [UInt8](repeating: 0, count: 1920 * 1080 * 3)
    let status = expectFailure(.resourceExhausted) {
      try data.withView(.rgb, size: PixelSize(width: 1920, height: 1080)) { (view) throws(Status) in
        _ = try DetectCall.requestFrame(CallHeader(stream: 1), ImageInput(.pixels(view)), DetectionOptions())
      }
    }
    #expect(status?.message.hasSuffix("; scale the images down") == true, "they may be JPEG already")
  }
}
