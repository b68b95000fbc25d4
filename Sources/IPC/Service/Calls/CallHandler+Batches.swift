import FaceCore
import Posix
import Wire

/// Batches of images. Each image is a turn of its own, so that other calls run in between.
extension CallHandler {
  /// The outcome of one turn of a batch.
  enum BatchOutcome {
    case answer(Answer)
    case rest(Batch)
  }

  func startBatch(_ call: Call, _ token: CancellationToken) -> BatchOutcome {
    let timing = CallTiming(queue: now() - call.arrival)
    do throws(Status) {
      let payload = call.body.span.extracting(call.payload)
      let request = try DetectBatchCall.request(payload, limit: service.limits.batchImages)
      return continueBatch(Batch(call: call, request: request, timing: timing), token)
    } catch {
      return .answer(refusal(of: call, error, timing))
    }
  }

  /// Searches the next image.
  func continueBatch(_ batch: Batch, _ token: CancellationToken) -> BatchOutcome {
    var batch = batch
    let start = now()
    if batch.outcomes.count < batch.request.images.count {
      batch.outcomes.append(nextOutcome(of: batch, token))
    }
    batch.timing.run = (batch.timing.run ?? .zero) + (now() - start)
    return batch.outcomes.count < batch.request.images.count ? .rest(batch) : .answer(answer(to: batch))
  }

  /// The answer to a batch whose deadline has passed between two of its images.
  func finishLate(_ batch: Batch) -> Answer {
    var batch = batch
    batch.outcomes += repeatElement(
      .failure(Self.late), count: batch.request.images.count - batch.outcomes.count)
    return answer(to: batch)
  }

  private func answer(to batch: Batch) -> Answer {
    do throws(Status) {
      let frame = try DetectBatchCall.responseFrame(stream: batch.call.stream, batch.outcomes)
      return Answer(frame: frame, failure: nil, timing: batch.timing)
    } catch {
      return refusal(of: batch.call, error, batch.timing)
    }
  }

  private func nextOutcome(of batch: Batch, _ token: CancellationToken) -> ImageOutcome {
    let range = batch.request.images[batch.outcomes.count]
    let image = batch.call.body.span.extracting(batch.call.payload).extracting(range)
    do throws(Status) {
      let result = try MessageImage.decoding(image) { (image) throws(Status) in
        try withInput(image, batch.call.buffers, of: batch.call.caller.user, token) {
          (input) throws(Status) in
          try service.detector.detect(input, options: service.limits.bounding(batch.request.options))
        }
      }
      return .success(result)
    } catch {
      return .failure(error)
    }
  }
}
