import Dispatch
import Glibc

/// Takes the signals that end or change the gateway.
package enum GatewaySignal {
  /// The signals in the order in which they come. They no longer end the process.
  package static func sequence(of numbers: [Int32]) -> AsyncStream<Int32> {
    AsyncStream { continuation in
      for number in numbers {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        // The handler holds the source, for as long as the process lives.
        source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield(number) } }
        source.resume()
      }
    }
  }
}
