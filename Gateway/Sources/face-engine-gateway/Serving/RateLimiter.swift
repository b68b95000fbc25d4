import NIOCore
import Synchronization

/// Lets each client address begin so many calls a second, and as many at once.
final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
  }

  /// Addresses that are remembered; a full bucket is as good as none.
  private static let maxBuckets = 4096

  /// Calls a second of an address that is not this machine's; 0 for any number.
  private let rate: Double
  /// The same for this machine's own.
  private let loopbackRate: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  init(rate: Double, loopbackRate: Double) {
    self.rate = rate
    self.loopbackRate = loopbackRate
  }

  /// Whether a client may begin a call now.
  func admit(_ peer: String) -> Bool {
    let rate = PeerAddress.isLoopback(peer) ? loopbackRate : rate
    if rate <= 0 { return true }
    let now = NIODeadline.now()
    let address = PeerAddress.host(of: peer)
    return buckets.withLock { buckets in
      if buckets.count >= Self.maxBuckets, buckets[address] == nil {
        let full = TimeAmount.seconds(1)
        buckets = buckets.filter { now - $0.value.filled < full }
        if buckets.count >= Self.maxBuckets { return false }
      }
      let most = max(1, rate)
      var bucket = buckets[address] ?? Bucket(tokens: most, filled: now)
      bucket.tokens = min(most, bucket.tokens + Double((now - bucket.filled).nanoseconds) / 1e9 * rate)
      bucket.filled = now
      defer { buckets[address] = bucket }
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }
}

/// The address of a client, as transports write it: "ipv4:127.0.0.1:4711", "ipv6:[::1]:4711", "127.0.0.1".
enum PeerAddress {
  static func host(of peer: String) -> String {
    var text = peer[...]
    for prefix in ["ipv4:", "ipv6:"] where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    let colons = text.count { $0 == ":" }
    return colons == 1 ? String(text.prefix { $0 != ":" }) : String(text)
  }

  static func isLoopback(_ peer: String) -> Bool {
    let host = host(of: peer)
    return host.hasPrefix("127.") || host == "::1" || host.hasPrefix("::ffff:127.")
  }
}
