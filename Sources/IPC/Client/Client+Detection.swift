public import FaceCore
import Posix
public import Wire

extension Client {
  /// The most bytes of images in one call; further images are sent in more calls, one after the other.
  private static let sharedBatchBytes = 32 << 20

  /// Finds the faces of an image. A large image is sent in shared memory. The image's canceller ends the call
  /// at once, and with it the engine's work; an image without a token is limited by `options.timeout`.
  ///
  /// Throws `invalidArgument` for wrong options, `resourceExhausted` for an image that does not fit in a
  /// message if the engine takes no shared memory, and the engine's failures.
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try options.validate()
    let request = DetectRequest(
      images: [image], options: options, method: .detect, limit: self.options.maxMessageBytes)
    let token = image.cancellation ?? CancellationToken(timeout: self.options.timeout)
    let body = try withConnection(token) { (connection, token) throws(ExchangeFailure) in
      try connection.detect(request, token)
    }
    var result = try Client.value(of: body, DetectCall.response)
    // An engine that does not know `boxes_given` has searched.
    if options.boxes?.isEmpty == true { result.faces = [] }
    return result
  }

  /// Finds the faces of each image. The outcomes are in the images' order, and one image's failure does not
  /// affect the others.
  ///
  /// Throws failures that concern all images: wrong options, and an engine that is gone, out of time or busy.
  /// - Parameter cancellation: the token for all images together; `nil` for the limit of `options.timeout`.
  public func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, cancellation: CancellationToken? = nil
  ) throws(Status) -> [ImageOutcome] {
    try options.validate()
    let token = cancellation ?? CancellationToken(timeout: self.options.timeout)
    var outcomes: [ImageOutcome] = []
    while outcomes.count < images.count {
      let rest = images[outcomes.count...]
      outcomes += try withConnection(token) { (connection, token) throws(ExchangeFailure) in
        try exchangeBatch(nextBatch(of: rest, connection), connection, options, token)
      }
    }
    return outcomes
  }

  /// The images for the next call, at least one.
  private func nextBatch(of images: ArraySlice<ImageInput>, _ connection: ClientConnection) -> [ImageInput] {
    let mostImages = connection.limits?.batchImages ?? 1
    let room =
      connection.images.pool.map { min($0.maxBytes, Self.sharedBatchBytes) } ?? options.maxMessageBytes / 2
    var size = 0
    var batch: [ImageInput] = []
    for image in images {
      size += ImageTransport.aligned(image.packedByteCount)
      guard batch.isEmpty || (size <= room && batch.count < mostImages) else { break }
      batch.append(image)
    }
    return batch
  }

  private func exchangeBatch(
    _ images: [ImageInput], _ connection: ClientConnection, _ detection: DetectionOptions,
    _ token: CancellationToken
  ) throws(ExchangeFailure) -> [ImageOutcome] {
    let request = DetectRequest(
      images: images, options: detection, method: .detectBatch, limit: options.maxMessageBytes)
    let body: [UInt8]
    do throws(ExchangeFailure) {
      body = try connection.detect(request, token)
    } catch {
      guard case .failed(let status) = error, status.code == .resourceExhausted, !request.mayFitInMessage
      else { throw error }
      // Too large for a message, and no shared memory: the images are sent one by one, and each has its own
      // failure.
      if images.count == 1 { return [.failure(status)] }
      var outcomes: [ImageOutcome] = []
      for image in images { outcomes += try exchangeBatch([image], connection, detection, token) }
      return outcomes
    }
    do throws(Status) {
      let outcomes = try Client.value(of: body, DetectBatchCall.response)
      guard outcomes.count == images.count else {
        throw Status(
          .internal,
          "the engine gave \(outcomes.count) results for \(images.count) images; please report this")
      }
      return outcomes
    } catch {
      throw .failed(error)
    }
  }
}

/// The images and options of one call.
struct DetectRequest {
  let images: [ImageInput]
  let options: DetectionOptions
  /// `detect` for one image, `detectBatch` for several.
  let method: Wire.Method
  /// The size limit of a message in bytes.
  let limit: Int

  /// Whether the images may fit in a message; the other fields take little.
  var mayFitInMessage: Bool { size < limit }
  var size: Int { images.reduce(0) { $0 + $1.packedByteCount } }

  func frame(_ images: [MessageImage], _ token: CancellationToken) throws(ExchangeFailure) -> [UInt8] {
    let header = CallHeader(stream: 0, timeout: token.remaining)
    do throws(Status) {
      if method == .detect, let image = images.first {
        return try DetectCall.requestFrame(header, image, options, limit: limit)
      }
      return try DetectBatchCall.requestFrame(header, images, options, limit: limit)
    } catch {
      throw .failed(error)
    }
  }
}

extension ClientConnection {
  /// Sends images, in shared memory if that is worth it and available, and returns the data of the response.
  func detect(_ request: DetectRequest, _ token: CancellationToken) throws(ExchangeFailure) -> [UInt8] {
    var refusal: Status?
    // The engine may refuse the caller's memory, and then one of our buffers as well.
    for _ in 0..<2 {
      // An image that fits in a message need not wait for a buffer.
      let waiting = request.mayFitInMessage ? nil : token
      guard let placement = try images.place(request.images, waiting: waiting, token) else { break }
      let body: [UInt8]
      do throws(ExchangeFailure) {
        body = try exchange(try request.frame(placement.images, token), token)
      } catch {
        images.discard(placement)
        throw error
      }
      refusal = images.complete(placement)
      if refusal == nil { return body }
      // The limit may have been exceeded only because of idle buffers.
      images.unregisterIdle(all: true)
    }
    if !request.mayFitInMessage {
      if token.isOver { throw .failed(token.failure) }
      throw .failed(refusal ?? images.noRoom(for: request.size, isFile: request.images.allSatisfy(\.isFile)))
    }
    return try exchange(try request.frame(request.images.map { MessageImage($0) }, token), token)
  }
}
