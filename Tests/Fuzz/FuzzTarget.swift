/// A pure function of whatever bytes come from the other side. It traps when what it found out about them does not hold.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// The frame parser: see `FrameFuzz`.
  case frames
  /// The envelopes of calls: see `EnvelopeFuzz`.
  case envelopes
  /// The payloads of calls: see `MessageFuzz`.
  case messages

  public func run(_ input: Span<UInt8>) {
    switch self {
    case .frames: FrameFuzz.run(input)
    case .envelopes: EnvelopeFuzz.run(input)
    case .messages: MessageFuzz.run(input)
    }
  }
}
