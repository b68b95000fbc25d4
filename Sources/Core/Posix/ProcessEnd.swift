import Glibc

/// How a process has ended, as wait(2) reports it.
public struct ProcessEnd: BitwiseCopyable, Equatable, Sendable, CustomStringConvertible {
  /// What the end says about the work of the process.
  public enum Cause: Sendable {
    /// The process did nothing wrong that it knows of.
    case done
    case failed
    /// The process made a mistake of its own, as with a damaged file.
    case crashed
    /// The process used the processor time that it may use.
    case processorTime
    /// The kernel killed the process, as it does when memory is out, or a page of memory could not be read.
    case memory
    /// Somebody ended the process.
    case signalled
  }

  private let status: Int32

  /// - Parameter status: as waitpid(2) stores it.
  public init(status: Int32) { self.status = status }

  /// The signal that ended the process; `nil` if it ended by itself.
  private var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }

  /// The exit code; `nil` if a signal ended the process.
  public var code: Int32? { signal == nil ? status >> 8 & 0xFF : nil }

  public var cause: Cause {
    switch signal {
    case nil: code == 0 ? .done : .failed
    case SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS: .crashed
    case SIGXCPU: .processorTime
    case SIGKILL, SIGBUS: .memory
    default: .signalled
    }
  }

  public var description: String {
    signal.map { "signal \($0)" } ?? "exit code \(code ?? 0)"
  }
}
