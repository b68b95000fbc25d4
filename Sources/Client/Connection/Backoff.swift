/// How long to wait before the next attempt to connect: not at all at first, then 50 ms, and twice as long after each
/// failure up to 2 s. A random part of up to a half is taken off, so that many clients do not come at the same moment.
struct Backoff: Sendable {
  private static let first: Int64 = 50_000_000
  private static let longest: Int64 = 2_000_000_000

  private var next = Backoff.first

  /// An attempt has failed: nanoseconds to the next one.
  mutating func pause() -> Int64 {
    defer { next = min(2 * next, Self.longest) }
    return Int64.random(in: next / 2...next)
  }
}
