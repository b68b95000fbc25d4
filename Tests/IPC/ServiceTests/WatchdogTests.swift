import CPosixShims
import FaceCore
import Glibc
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing

/// The socket on which a service manager would hear from the engine.
private final class News {
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

  init(_ path: String) {
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
  }

  deinit { close(descriptor) }

  /// - Parameter waiting: `false` returns `nil` if there is no message now; `true` only if none came for a
  /// minute.
  func next(waiting: Bool = true) -> String? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(descriptor, &bytes, bytes.count, waiting ? 0 : Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

@Suite struct WatchdogTests {
  @Test func watchdogStarvesWhileTheSelfTestFails() throws {
    let folder = try TemporaryFolder()
    let news = News("\(folder.path)/notify")
    let engine = try TestServer {
      $0.manager = ServiceManager(address: "\(folder.path)/notify", watchdog: .seconds(1))
      $0.selfTestInterval = .milliseconds(1)
    }
    #expect(news.next() == "READY=1")
    #expect(news.next() == "WATCHDOG=1")
    engine.detector.fail(with: Status(.internal, "it is broken"))
    // Reports of earlier, passed tests may still arrive.
    while !engine.log.lines.contains(where: { $0.contains("self-test failed") }) {
      _ = news.next(waiting: false)
    }
    while news.next(waiting: false) != nil {}
    engine.detector.waitForSelfTests(5)
    #expect(news.next(waiting: false) == nil)
    engine.detector.fail(with: nil)
    #expect(news.next() == "WATCHDOG=1")
    engine.stop()
  }
}
