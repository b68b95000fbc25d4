import Glibc

/// Prints a message for the operator.
package func say(_ text: String) {
  let line = Array("face-engine-gateway: \(text)\n".utf8)
  line.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
