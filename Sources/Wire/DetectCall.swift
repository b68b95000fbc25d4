import CProtocol
public import FaceCore

/// The messages of `Detector/Detect`.
public enum DetectCall {
  /// Throws `resourceExhausted` when the frame would have more than `limit` bytes of data.
  public static func requestFrame(
    _ call: CallHeader, _ input: ImageInput, _ options: DetectionOptions, limit: Int = FrameHeader.maxLength
  ) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let request = arena.message(Faceengine__V1__DetectRequest.self)
    request.pointee.image = ImageCoding.encode(input, arena)
    request.pointee.options = OptionsCoding.encode(options, arena)
    return try CallFrame.request(.detect, call, request, limit: limit)
  }

  /// Runs `body` on what the request asks for. The image is borrowed: it lives until `body` returns.
  ///
  /// Throws `invalidArgument` naming the field that is wrong, and what `body` throws.
  public static func withRequest<Result>(
    _ payload: Span<UInt8>, _ body: (ImageInput, DetectionOptions) throws(Status) -> Result
  ) throws(Status) -> Result {
    try Decoder.decode(Faceengine__V1__DetectRequest.self, payload) { (request) throws(Status) in
      guard let image = request.image else {
        throw Status(.invalidArgument, "image is missing; send encoded bytes or pixels")
      }
      let input = try ImageCoding.decode(image.pointee)
      let options = try OptionsCoding.decode(request.options?.pointee)
      return try body(input, options)
    }
  }

  /// Throws `resourceExhausted` when there are more faces than one message takes.
  public static func responseFrame(stream: UInt32, _ result: DetectionResult) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    let response = arena.message(Faceengine__V1__DetectResponse.self)
    response.pointee.width = UInt32(clamping: result.imageSize.width)
    response.pointee.height = UInt32(clamping: result.imageSize.height)
    let faces = arena.allocate(UnsafeMutablePointer<Faceengine__V1__Face>?.self, count: result.faces.count)
    for (index, face) in result.faces.enumerated() { faces[index] = FaceCoding.encode(face, arena) }
    response.pointee.n_faces = result.faces.count
    response.pointee.faces = faces
    return try CallFrame.response(stream: stream, response)
  }

  /// Throws `invalidArgument` when the bytes are no such message, or a number in it is none.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> DetectionResult {
    try Decoder.decode(
      Faceengine__V1__DetectResponse.self, payload, growth: FaceCoding.growth
    ) { (response) throws(Status) in
      var faces: [Face] = []
      faces.reserveCapacity(response.n_faces)
      for index in 0..<response.n_faces {
        guard let face = response.faces[index] else { continue }
        faces.append(try FaceCoding.decode(face.pointee))
      }
      let size = PixelSize(width: Int(response.width), height: Int(response.height))
      return DetectionResult(imageSize: size, faces: faces)
    }
  }
}
