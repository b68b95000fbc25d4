/// The states of a connection of HTTP/1, and the changes between them. A value without a channel.
enum HTTPConnectionState<Answer> {
  /// Between requests, or inside a head.
  case idle
  /// A request is being received, and not answered yet.
  /// - Parameter isHeld: whether the client waits for the word that it may send its body.
  case receiving(isHeld: Bool)
  /// The same, with the answer that is written when the rest of the request has come.
  case refused(Answer)
  case answering
  /// The answer was written, and the client still sends its request.
  case discarding
  /// The last answer was written, or nobody takes one.
  case closing

  enum Event {
    case head(isHeld: Bool)
    /// The client was told that it may send its body.
    case released
    case refused(Answer)
    /// An answer was written before the end of its request.
    case answeredEarly
    case requestEnded
    /// The client's system has taken the answer to a complete request.
    case answerTaken
    case close
  }

  /// Changes the state. Returns `false`, and changes nothing, for an event that cannot happen in it.
  @discardableResult
  mutating func apply(_ event: Event) -> Bool {
    switch (event, self) {
    case (.head(let isHeld), .idle): self = .receiving(isHeld: isHeld)
    case (.released, .receiving(isHeld: true)): self = .receiving(isHeld: false)
    case (.refused(let answer), .receiving): self = .refused(answer)
    case (.answeredEarly, .receiving), (.answeredEarly, .refused): self = .discarding
    case (.requestEnded, .receiving), (.requestEnded, .refused): self = .answering
    case (.requestEnded, .discarding), (.answerTaken, .answering): self = .idle
    case (.close, .closing): return false
    case (.close, _): self = .closing
    default: return false
    }
    return true
  }

  var isIdle: Bool { if case .idle = self { true } else { false } }
  var isAnswering: Bool { if case .answering = self { true } else { false } }
  var isClosing: Bool { if case .closing = self { true } else { false } }
  var isHeld: Bool { if case .receiving(isHeld: true) = self { true } else { false } }
  /// Whether a request comes, whatever becomes of it.
  var isArriving: Bool {
    switch self {
    case .receiving, .refused, .discarding: true
    case .idle, .answering, .closing: false
    }
  }
  /// The answer that waits for the end of its request.
  var postponed: Answer? { if case .refused(let answer) = self { answer } else { nil } }
}

extension HTTPConnectionState: Equatable where Answer: Equatable {}
