package import NIOCore
import Synchronization

/// Limits the calls per second that each client address may begin, with bursts of the same number.
package final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
  }

  /// The most addresses that are stored. Addresses with a full bucket need not be.
  private static let maxBuckets = 4096

  /// The calls per second of an address of another machine; 0 for any number.
  private let rate: Double
  /// The calls per second of this machine; 0 for any number.
  private let loopbackRate: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  package init(rate: Double, loopbackRate: Double) {
    self.rate = rate
    self.loopbackRate = loopbackRate
  }

  /// Whether a client may begin a call now.
  package func admit(_ peer: PeerAddress, at now: NIODeadline) -> Bool {
    let rate = peer.isLoopback ? loopbackRate : rate
    if rate <= 0 { return true }
    let address = peer.host
    let most = max(1, rate)
    func tokens(_ bucket: Bucket) -> Double {
      min(most, bucket.tokens + Double((now - bucket.filled).nanoseconds) / 1e9 * rate)
    }
    return buckets.withLock { buckets in
      if buckets.count >= Self.maxBuckets, buckets[address] == nil {
        buckets = buckets.filter { tokens($0.value) < most }
        if buckets.count >= Self.maxBuckets { return false }
      }
      var bucket = Bucket(tokens: buckets[address].map(tokens) ?? most, filled: now)
      defer { buckets[address] = bucket }
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }
}

/// The address of a client, without its port.
package struct PeerAddress: Sendable {
  package let host: String
  let isLoopback: Bool

  package init(_ address: SocketAddress?) {
    host = address?.ipAddress ?? "unknown"
    isLoopback = Self.isLoopback(host)
  }

  static func isLoopback(_ host: String) -> Bool {
    host.hasPrefix("127.") || host == "::1" || host.hasPrefix("::ffff:127.")
  }
}
