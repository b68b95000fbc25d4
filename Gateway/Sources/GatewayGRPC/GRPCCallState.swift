/// The states of an RPC, and the changes between them. A value without a connection.
enum GRPCCallState: Equatable {
  /// - Parameters:
  ///   - isAsked: whether a whole message has come.
  ///   - isAnswered: whether the headers of the answer were sent.
  case open(Input, isAsked: Bool, isAnswered: Bool)
  /// It has its status, or the client is gone.
  case over

  enum Input: Equatable {
    /// The client may send a message.
    case arriving
    /// There is room for all of the next message.
    case fitting
    /// A message is being inflated; `isLast` if the client has ended its messages behind it.
    case inflating(isLast: Bool)
    /// The client has ended its messages; some may wait for the handler.
    case ended
    /// The handler knows that there are no more.
    case told
  }

  enum Event {
    case granted
    /// A whole message is passed on.
    case message(isCompressed: Bool)
    case inflated
    case clientEnded
    case toldEnd
    case answerBegan
    case end
  }

  static let start = GRPCCallState.open(.arriving, isAsked: false, isAnswered: false)

  /// Changes the state. Returns `false`, and changes nothing, for an event that cannot happen in it.
  @discardableResult
  mutating func apply(_ event: Event) -> Bool {
    guard case .open(let input, let isAsked, let isAnswered) = self else { return false }
    let next: Input
    switch (event, input) {
    case (.granted, .arriving): next = .fitting
    case (.message(let isCompressed), .arriving), (.message(let isCompressed), .fitting):
      next = isCompressed ? .inflating(isLast: false) : .arriving
    case (.message(let isCompressed), .ended): next = isCompressed ? .inflating(isLast: true) : .ended
    case (.inflated, .inflating(let isLast)): next = isLast ? .ended : .arriving
    case (.clientEnded, .arriving), (.clientEnded, .fitting): next = .ended
    case (.clientEnded, .inflating(isLast: false)): next = .inflating(isLast: true)
    case (.toldEnd, .ended): next = .told
    case (.answerBegan, _) where !isAnswered:
      self = .open(input, isAsked: isAsked, isAnswered: true)
      return true
    case (.end, _):
      self = .over
      return true
    default: return false
    }
    var isMessage = false
    if case .message = event { isMessage = true }
    self = .open(next, isAsked: isAsked || isMessage, isAnswered: isAnswered)
    return true
  }

  var input: Input? { if case .open(let input, _, _) = self { input } else { nil } }
  var isAsked: Bool { if case .open(_, isAsked: true, _) = self { true } else { false } }
  var isAnswered: Bool { if case .open(_, _, isAnswered: true) = self { true } else { false } }

  /// Whether a message can be passed on.
  var takesMessages: Bool {
    switch input {
    case .arriving, .fitting, .ended: true
    case .inflating, .told, nil: false
    }
  }
}
