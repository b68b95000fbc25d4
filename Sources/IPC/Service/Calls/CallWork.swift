import FaceCore
package import Wire

package typealias CallJob = Job<CallWork>

/// What a worker does for a connection in one turn.
package struct CallWork: Sendable {
  enum Part: Sendable {
    case call(Call)
    case batch(Batch)
    case frame(StreamFrame)
  }

  package let method: Method
  let trace: RequestTrace
  let part: Part
}

extension CallJob {
  package var frameNumber: UInt64? {
    if case .frame(let frame) = work.part { frame.info.number } else { nil }
  }

  init(_ requestID: RequestID, _ part: CallWork.Part) {
    switch part {
    case .call(let call): self.init(requestID, part, of: call)
    case .batch(let batch): self.init(requestID, part, of: batch.call)
    case .frame(let frame):
      self.init(
        requestID: requestID, deadline: frame.deadline, size: frame.body.count, usesModels: true,
        work: CallWork(method: frame.method, trace: frame.trace, part: part))
    }
  }

  private init(_ requestID: RequestID, _ part: CallWork.Part, of call: Call) {
    self.init(
      requestID: requestID, deadline: call.deadline, size: call.body.count,
      usesModels: call.method.serving.usesModels,
      work: CallWork(method: call.method, trace: call.trace, part: part))
  }
}
