import FaceCore
import Posix
import Wire

/// One call with images, as its caller wants it.
struct DetectRequest {
  let images: [ImageInput]
  let options: DetectionOptions
  /// `detect` for one image, `detectBatch` for several.
  let method: Wire.Method
  /// Most bytes of a message.
  let limit: Int

  /// Whether the images may fit in a message; what is around them takes little.
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
  /// The data of the response.
  func detect(_ request: DetectRequest, _ token: CancellationToken) throws(ExchangeFailure) -> [UInt8] {
    var refusal: Status?
    // The engine may refuse the caller's memory, and then a buffer of ours as well.
    for _ in 0..<2 {
      // What fits in a message need not wait for a buffer.
      let waiting = request.mayFitInMessage ? nil : token
      guard let placement = try images.place(request.images, waiting: waiting, token) else { break }
      let body: [UInt8]
      do throws(ExchangeFailure) {
        body = try exchange(try request.frame(placement.images, token), token)
      } catch {
        images.forget(placement)
        throw error
      }
      refusal = images.settle(placement)
      if refusal == nil { return body }
      // Perhaps it was too much only with what is kept here.
      images.returnIdle(all: true)
    }
    if !request.mayFitInMessage {
      if token.isOver { throw .failed(token.failure) }
      throw .failed(refusal ?? images.noRoom(for: request.size))
    }
    return try exchange(try request.frame(request.images.map { MessageImage($0) }, token), token)
  }
}
