import CProtocol
import FaceCore
import Testing
import Wire

@Suite struct DetectCallTests {
  private func payload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = Array(frame.dropFirst(10))
    return Array(body[try RequestEnvelope(decoding: body.span).payload])
  }

  private func responsePayload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = Array(frame.dropFirst(10))
    return Array(body[try ResponseEnvelope(decoding: body.span).payload])
  }

  /// The error of `DetectCall.withRequest` for a request made by `body`; `nil` if it is accepted.
  private func refusal(_ body: (inout Faceengine__V1__Image, Pool) -> Void) -> Status? {
    refusal(
      Reference.pack(faceengine__v1__detect_request__init) { request, pool in
        let image = pool.array(1, of: Faceengine__V1__Image.self)
        faceengine__v1__image__init(image)
        body(&image.pointee, pool)
        request.image = image
      })
  }

  private func refusal(_ payload: [UInt8]) -> Status? {
    do throws(Status) {
      try DetectCall.withRequest(payload.span) { _, _ in }
      return nil
    } catch {
      return error
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

  // MARK: Round trips

  @Test(arguments: [nil] + Orientation.allCases.map(Optional.some))
  func encodedImageRoundTrips(orientation: Orientation?) throws {
    let file = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var options = DetectionOptions()
    options.minConfidence = 0.25
    options.overlapThreshold = 0
    options.maxFaces = 3
    options.minFaceSize = 12.5
    options.maxSide = 0
    let frame = try file.withUnsafeBytes { bytes in
      try DetectCall.requestFrame(
        CallHeader(stream: 1), ImageInput(.encoded(bytes), orientation: orientation), options)
    }
    let payload = try payload(frame)
    try DetectCall.withRequest(payload.span) { (image, received) throws(Status) in
      #expect(received == options)
      #expect(image.orientation == orientation)
      guard case .encoded(let bytes) = image.source else { throw Status(.internal, "not encoded") }
      #expect(bytes.elementsEqual(file))
    }
  }

  @Test(arguments: PixelFormat.packed)
  func pixelsRoundTrip(format: PixelFormat) throws {
    let stride = 20 * format.rowBytes(plane: 0, width: 1) + 3
    // The buffer is longer than the last row needs: only the used bytes are sent.
    let data = (0..<stride * 17).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let used = stride * 16 + 20 * format.rowBytes(plane: 0, width: 1)
    let frame = try data.withUnsafeBytes { bytes in
      let view = try ImageView(format: format, width: 20, height: 17, stride: stride, bytes: bytes)
      return try DetectCall.requestFrame(CallHeader(stream: 1), ImageInput(.pixels(view)), DetectionOptions())
    }
    let payload = try payload(frame)
    try DetectCall.withRequest(payload.span) { (image, options) throws(Status) in
      #expect(options == DetectionOptions())
      guard case .pixels(let view) = image.source else { throw Status(.internal, "not pixels") }
      #expect(view.format == format)
      #expect(view.size == PixelSize(width: 20, height: 17))
      #expect(view.stride == stride)
      #expect(view.bytes.elementsEqual(data.prefix(used)))
    }
  }

  @Test func absentOptionsHaveTheirDefaults() throws {
    let payload = Reference.pack(faceengine__v1__detect_request__init) { request, pool in
      let image = pool.array(1, of: Faceengine__V1__Image.self)
      faceengine__v1__image__init(image)
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
      image.pointee.encoded = pool.bytes([1])
      request.image = image
      let options = pool.array(1, of: Faceengine__V1__DetectOptions.self)
      faceengine__v1__detect_options__init(options)
      options.pointee.optional_max_side_case = FACEENGINE__V1__DETECT_OPTIONS__OPTIONAL_MAX_SIDE_MAX_SIDE
      options.pointee.max_side = 0
      request.options = options
    }
    var expected = DetectionOptions()
    expected.maxSide = 0
    try DetectCall.withRequest(payload.span) { (_, options) throws(Status) in #expect(options == expected) }
  }

  @Test(arguments: [0, 1, 2, 300])
  func resultRoundTrips(count: Int) throws {
    let faces = (0..<count).map { index in
      let value = Float(index)
      let point = Point(x: value / 3, y: -value)
      return Face(
        box: Box(x: -value, y: value * 0.5, width: 1e-20, height: 1e20), confidence: 0.5,
        points: index % 2 == 1
          ? nil
          : FivePoints(
            leftEye: point, rightEye: Point(x: 1, y: 2), noseTip: Point(x: 0, y: 0), mouthLeft: point,
            mouthRight: point))
    }
    var result = DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: faces)
    result.unanalysedFaces = count
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result))
    #expect(try DetectCall.response(payload.span) == result)
  }

  // MARK: What comes from outside is checked

  @Test func imageIsRequired() {
    #expect(refusal([])?.code == .invalidArgument)
    #expect(refusal { _, _ in }?.code == .invalidArgument)
    #expect(
      refusal { image, pool in
        image.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
        image.encoded = pool.bytes([])
      }?.message.contains("empty") == true)
  }

  @Test func enumsAreChecked() {
    #expect(pixels { _, _ in } == nil)
    for value in [0, 12, 256, 257, UInt32.max] {
      let status = pixels { pixels, _ in pixels.format = .init(value) }
      #expect(status?.code == .invalidArgument)
      #expect(status?.message.contains("GRAY") == true)
    }
    for value in [9, 256, 257, UInt32.max] {
      let status = refusal { image, pool in
        image.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
        image.encoded = pool.bytes([1])
        image.orientation = .init(value)
      }
      #expect(status?.code == .invalidArgument)
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
    let payload = Reference.pack(faceengine__v1__detect_request__init) { request, pool in
      let image = pool.array(1, of: Faceengine__V1__Image.self)
      faceengine__v1__image__init(image)
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
      image.pointee.encoded = pool.bytes([1])
      request.image = image
      let options = pool.array(1, of: Faceengine__V1__DetectOptions.self)
      faceengine__v1__detect_options__init(options)
      options.pointee.optional_min_confidence_case =
        FACEENGINE__V1__DETECT_OPTIONS__OPTIONAL_MIN_CONFIDENCE_MIN_CONFIDENCE
      options.pointee.min_confidence = value
      request.options = options
    }
    #expect(refusal(payload)?.code == .invalidArgument)
  }

  @Test(arguments: [Float.nan, .infinity])
  func numbersFromTheEngineAreChecked(value: Float) throws {
    let box = Box(x: value, y: 0, width: 0, height: 0)
    let result = DetectionResult(
      imageSize: PixelSize(width: 1, height: 1), faces: [Face(box: box, confidence: 0, points: nil)])
    let payload = try responsePayload(try DetectCall.responseFrame(stream: 1, result))
    #expect(throws: Status.self) { try DetectCall.response(payload.span) }
  }

  @Test func excessiveUnknownFieldsAreRefused() {
    // Each takes two bytes encoded and about fifty decoded.
    let bomb = [UInt8]((0..<1_000_000).flatMap { _ in [0x78, 1] as [UInt8] })
    #expect(refusal(bomb)?.code == .resourceExhausted)
    // A later version may send a few.
    let image: [UInt8] = [0x0a, 3, 0x0a, 1, 1]
    let later = [UInt8]((0..<100).flatMap { _ in [0x78, 1] as [UInt8] })
    #expect(refusal(image + later) == nil)
  }

  @Test func changedBytesNeverCrash() throws {
    let frame = try [UInt8](repeating: 9, count: 256).withUnsafeBytes { bytes in
      let view = try ImageView(format: .gray, width: 16, height: 16, bytes: bytes)
      return try DetectCall.requestFrame(
        CallHeader(stream: 1), ImageInput(.pixels(view), orientation: .left), DetectionOptions())
    }
    let good = try payload(frame)
    var taken = 0
    for index in good.indices where index < 32 || index > good.count - 40 {
      for value in 0...255 as ClosedRange<UInt8> {
        var bytes = good
        bytes[index] = value
        if refusal(bytes) == nil { taken += 1 }
      }
      #expect(refusal(Array(good.prefix(index))) != nil || index > 256)
    }
    #expect(taken > 0)
  }

  @Test func tooLargeRequestIsRefusedWithAdvice() throws {
    let data = [UInt8](repeating: 0, count: 1920 * 1080 * 3)
    let status = #expect(throws: Status.self) {
      try data.withUnsafeBytes { bytes in
        let view = try ImageView(format: .rgb, width: 1920, height: 1080, bytes: bytes)
        _ = try DetectCall.requestFrame(CallHeader(stream: 1), ImageInput(.pixels(view)), DetectionOptions())
      }
    }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.hasSuffix("; scale the images down") == true, "they may be JPEG already")
  }

  @Test func tooManyFacesForOneMessageAreRefused() {
    let face = Face(box: Box(x: 1, y: 1, width: 1, height: 1), confidence: 1, points: nil)
    let result = DetectionResult(
      imageSize: PixelSize(width: 1, height: 1), faces: Array(repeating: face, count: 200_000))
    #expect(throws: Status.self) { try DetectCall.responseFrame(stream: 1, result) }
  }
}
