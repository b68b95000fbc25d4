public import FaceCore
import Posix
public import Wire

/// Several images in one call.
extension Client {
  /// Bytes of images that one call carries; as many as there are go in several calls, one after the other.
  private static let sharedBatchBytes = 32 << 20

  /// Finds the faces of each image; the outcomes are in the images' order, and an image that fails fails alone.
  ///
  /// Throws what concerns all of them: wrong options, and an engine that is gone, out of time or busy.
  /// - Parameters:
  ///   - timeout: nanoseconds for all images together; 0 for as long as it takes.
  ///   - canceller: ends the call with `cancelled` at once, and the engine's work for it.
  public func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, timeout: Int64? = nil, canceller: Canceller? = nil
  ) throws(Status) -> [ImageOutcome] {
    try options.check()
    let bounds = CallBounds(timeout: timeout ?? self.options.timeout, canceller: canceller)
    var outcomes: [ImageOutcome] = []
    while outcomes.count < images.count {
      let rest = images[outcomes.count...]
      outcomes += try exchange(bounds) { (connection, bounds) throws(ExchangeFailure) in
        try detect(batch(from: rest, connection), connection, options, bounds)
      }
    }
    return outcomes
  }

  /// As many of the images as one call takes, at least one.
  private func batch(from images: ArraySlice<ImageInput>, _ connection: ClientConnection) -> [ImageInput] {
    let mostImages = connection.limits?.batchImages ?? 1
    let room =
      connection.images.pool.map { min($0.maxBytes, Self.sharedBatchBytes) } ?? options.maxMessageBytes / 2
    var size = 0
    var batch: [ImageInput] = []
    for image in images {
      size += ImageCarrier.aligned(image.packedByteCount)
      guard batch.isEmpty || (size <= room && batch.count < mostImages) else { break }
      batch.append(image)
    }
    return batch
  }

  private func detect(
    _ images: [ImageInput], _ connection: ClientConnection, _ detection: DetectionOptions,
    _ bounds: CallBounds
  ) throws(ExchangeFailure) -> [ImageOutcome] {
    let left =
      bounds.deadline == .never ? 0 : max(1, bounds.deadline.nanoseconds - MonotonicTime.now().nanoseconds)
    let request = DetectRequest(
      images: images, options: detection, method: .detectBatch, timeout: left,
      limit: options.maxMessageBytes)
    let body: [UInt8]
    do throws(ExchangeFailure) {
      body = try connection.detect(request, bounds)
    } catch {
      guard case .failed(let status) = error, status.code == .resourceExhausted, !request.mayFitInMessage
      else { throw error }
      // Too large for a message, and no shared memory: one by one, and it is that image's failure.
      if images.count == 1 { return [.failure(status)] }
      var outcomes: [ImageOutcome] = []
      for image in images { outcomes += try detect([image], connection, detection, bounds) }
      return outcomes
    }
    do throws(Status) {
      let outcomes = try answer(body) { (payload) throws(Status) in try DetectBatchCall.response(payload) }
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
