import FaceCore
package import GatewayCoding
package import NIOCore

/// Bounds the bytes of answers that clients have not taken yet, of both servers. Used on the event loop.
///
/// A connection above its bound begins no further request. When an address or all together are above theirs, the
/// connection that holds most is closed.
package final class AnswerBudget {
  static let most = 64 << 20
  static let mostOfAddress = most / 2
  static let mostOfConnection = most / 8

  /// The connections of an address with unread answers.
  private struct Address {
    var byteCount = 0
    var connections: [ObjectIdentifier: UnreadAnswers] = [:]

    var largest: UnreadAnswers? { connections.values.max { $0.byteCount < $1.byteCount } }

    /// Returns the bytes of all connections.
    mutating func changed(_ answers: UnreadAnswers, by change: Int) -> Int {
      byteCount += change
      assert(byteCount >= answers.byteCount, "an address has the bytes of its connections")
      connections[ObjectIdentifier(answers)] = answers.byteCount > 0 ? answers : nil
      return byteCount
    }
  }

  package private(set) var byteCount = 0
  private var addresses: [String: Address] = [:]
  private let trimmer: HeapTrimmer

  package init(_ loop: any EventLoop) {
    trimmer = HeapTrimmer(loop)
  }

  fileprivate func changed(_ answers: UnreadAnswers, by change: Int) {
    byteCount += change
    assert(byteCount >= 0, "more bytes were taken than there were")
    trimmer.update(byteCount)
    // In place, since a copy would be of all connections of the address.
    let ofAddress = addresses[answers.host, default: Address()].changed(answers, by: change)
    if ofAddress == 0 { addresses[answers.host] = nil }
    if change < 0 { return }
    if byteCount > Self.most {
      addresses.values.max { $0.byteCount < $1.byteCount }?.largest?.close()
    } else if ofAddress > Self.mostOfAddress {
      addresses[answers.host]?.largest?.close()
    }
  }
}

/// The answers of one connection that its client has not taken yet.
package final class UnreadAnswers {
  fileprivate let host: String
  private let budget: AnswerBudget
  private let period: TimeAmount
  private var rate = TransferRate()
  private var closeConnection: (() -> Void)?
  package private(set) var byteCount = 0

  /// - Parameters:
  ///   - timeout: the time in which a client takes an answer, or at least a part of it.
  ///   - close: closes the connection, whose client does not read enough.
  package init(
    _ budget: AnswerBudget, _ peer: PeerAddress, timeout: TimeAmount, close: @escaping () -> Void
  ) {
    self.budget = budget
    host = peer.host
    period = TransferRate.period(timeout)
    closeConnection = close
  }

  /// Whether the connection begins no further request.
  package var isFull: Bool { byteCount > AnswerBudget.mostOfConnection }

  /// Why a request may not begin.
  package var failure: CallFailure? {
    guard isFull else { return nil }
    return CallFailure(
      .resourceExhausted,
      "unread answers on this connection exceed \(AnswerBudget.mostOfConnection >> 20) MiB; "
        + "read them before sending more", .limit("gateway_answer_bytes"))
  }

  package func set(_ byteCount: Int) {
    assert(byteCount >= 0)
    let change = byteCount - self.byteCount
    guard change != 0, closeConnection != nil else { return }
    self.byteCount = byteCount
    budget.changed(self, by: change)
  }

  /// Closes the connection if its client takes too little of what waits.
  ///
  /// - Parameters:
  ///   - taken: the bytes that the client's system has taken since the start.
  ///   - isBlocked: whether more waits for the client.
  package func sweep(_ now: NIODeadline, taken: Int, isBlocked: Bool) {
    if !rate.suffices(now, taken, isAwaited: isBlocked, in: period) { close() }
  }

  fileprivate func close() {
    guard let closeConnection else { return }
    end()
    closeConnection()
  }

  package func end() {
    set(0)
    closeConnection = nil
  }
}
