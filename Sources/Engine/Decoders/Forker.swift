import FaceCore

/// This process's end of a process that forks decoders. Used under the lock of its factory.
final class Forker: @unchecked Sendable {
  /// Shared with the decoders, which ask it whether their parent is there.
  let channel: PacketChannel
  /// How many requests have no response yet.
  private(set) var unanswered = 0
  /// How many ticks have passed since its last response, while there is a request without one.
  private(set) var silence = 0
  /// Whether it was asked for a copy of itself, which has not come yet.
  private(set) var isCopying = false
  private(set) var hasAnswered = false

  init(_ channel: PacketChannel) { self.channel = channel }

  /// Sends a request that has a response.
  /// - Returns: whether it was sent.
  func ask(_ operation: ForkRequest.Operation, _ kind: PictureKind? = nil, id: Int32 = 0) -> Bool {
    let request = ForkRequest(operation: operation, kind: kind, id: id)
    guard (try? channel.send(request, until: .now())) == true else { return false }
    unanswered += 1
    if operation == .copy { isCopying = true }
    return true
  }

  /// The next response that is there already; `ended` also where it cannot be read.
  func response() -> PacketChannel.Received<ForkResponse> {
    guard let received = try? channel.receive(ForkResponse.self, until: .now()) else { return .ended }
    if case .value(let response, _) = received {
      // A copy whose maker was killed may be answered twice.
      (unanswered, silence, hasAnswered) = (max(0, unanswered - 1), 0, true)
      if response.operation == .copy { isCopying = false }
    }
    return received
  }

  /// Counts a tick without a response.
  func tick() { if unanswered > 0 { silence += 1 } }
}
