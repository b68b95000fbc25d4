import Glibc

/// An open file descriptor with exactly one owner, closed when that owner is gone. close(2)
///
/// Its number is 3 or higher, whatever descriptors the host has closed: the functions of descriptors.h see to that, and
/// no others make descriptors.
public struct Descriptor: ~Copyable, Sendable {
  /// The number, for system calls made while this value lives; it must not be closed or kept.
  package let raw: Int32

  /// Takes over `raw`, which must be open and have no other owner.
  package init(owning raw: Int32) {
    self.raw = raw
  }

  deinit {
    // Not repeated after EINTR: on Linux the descriptor is closed by then, and may already belong to another
    // owner.
    _ = close(raw)
  }
}
