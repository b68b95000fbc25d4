import Glibc

/// Calls `body` with the address of a Unix socket at `path`, as bind(2) and connect(2) take it. unix(7)
func withUnixAddress<Value>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
