import Dispatch
package import FaceCore
import Glibc
import Posix

/// Takes the signals that end or change the gateway.
package enum GatewaySignal {
  private final class Event: Sendable {
    let wakeup: Wakeup
    init() throws(Status) { wakeup = try Wakeup() }
  }

  /// By signal. Handlers read it, so it is never freed.
  nonisolated(unsafe) private static let events = {
    let table = UnsafeMutableBufferPointer<Unmanaged<Event>?>.allocate(capacity: 65)
    table.initialize(repeating: nil)
    return table
  }()

  /// The signals in the order in which they come. They no longer end the process.
  ///
  /// A handler keeps a signal in a descriptor until it is read. Dispatch's signal sources would lose one that
  /// comes before Dispatch has registered them.
  package static func sequence(of numbers: [Int32]) throws(Status) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    for number in numbers {
      let event = try Event()
      events[Int(number)] = Unmanaged.passRetained(event)
      signal(number) { number in
        let error = errno
        GatewaySignal.events[Int(number)]?._withUnsafeGuaranteedRef { $0.wakeup.signal() }
        errno = error
      }
      let source = DispatchSource.makeReadSource(
        fileDescriptor: event.wakeup.pollableDescriptor, queue: .global())
      // The handler holds the source, for as long as the process lives.
      source.setEventHandler {
        withExtendedLifetime(source) { event.wakeup.clear() }
        continuation.yield(number)
      }
      source.resume()
    }
    return stream
  }
}
