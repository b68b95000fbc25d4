import CPosixShims
public import FaceCore
import Glibc

/// Notifies the service manager, such as systemd, that started this process.
///
/// Both protocols are a few lines that do not change, so no library is linked for them. Source: sd_notify(3),
/// sd_watchdog_enabled(3).
public struct ServiceManager: Sendable {
  public enum Notice: Sendable {
    case ready
    case reloading
    case stopping
    /// A sign of life; if it does not come in time, the manager ends the process.
    case alive

    fileprivate var text: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now().nanoseconds / 1000)"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      }
    }
  }

  private let address: String
  /// The time within which a sign of life is expected; `nil` when none is.
  public let watchdog: TimeSpan?

  /// `nil` when no manager expects notices.
  public init?() {
    guard let address = Environment.value("NOTIFY_SOCKET") else { return nil }
    self.address = address
    let isMeant = Environment.value("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let microseconds = Environment.value("WATCHDOG_USEC").flatMap(Int64.init) ?? 0
    watchdog = isMeant && microseconds > 0 ? .microseconds(min(microseconds, .max / 1000)) : nil
  }

  /// - Parameters:
  ///   - address: the address of its socket.
  ///   - watchdog: the time within which it expects a sign of life.
  package init(address: String, watchdog: TimeSpan?) {
    self.address = address
    self.watchdog = watchdog
  }

  /// Sends a notice. Never waits; a manager that does not listen is not notified. sendto(2)
  public func notify(_ notice: Notice) {
    _ = face_posix_send_datagram(address.cPath, notice.text)
  }
}
