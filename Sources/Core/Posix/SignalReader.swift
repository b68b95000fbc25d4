import CPosixShims
public import FaceCore
import Glibc

/// A signal that a service acts on.
public enum ServiceSignal: Int32, Sendable, CaseIterable {
  /// Asks to reload everything.
  case hangup = 1
  /// Asks to stop.
  case interrupt = 2
  /// Asks to stop.
  case terminate = 15

  public var name: StaticString {
    switch self {
    case .hangup: "SIGHUP"
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    }
  }
}

/// Reads signals from a descriptor, so that no handler interrupts other code. signalfd(2)
///
/// Make it on the main thread before any other thread exists: it blocks the signals for the calling thread
/// and for those started by it afterwards, and a signal is only read here when every thread blocks it.
public struct SignalReader: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  /// Blocks the signals and opens the descriptor. pthread_sigmask(3), signalfd(2)
  public init(_ signals: [ServiceSignal] = ServiceSignal.allCases) throws(Status) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal.rawValue) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = Descriptor(
      owning: try system("signalfd", "cannot read signals") { face_posix_signals(&set) })
  }

  /// Returns the next signal that has come, without waiting. read(2)
  public func next() -> ServiceSignal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor.raw, &info, size) == size else { return nil }
    return ServiceSignal(rawValue: Int32(bitPattern: info.ssi_signo))
  }
}
