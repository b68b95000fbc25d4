package import Posix

extension Peer {
  /// Whether this peer may change what an engine process of `owner` does: root may, and so may who could stop it anyway.
  package func mayAdminister(processOf owner: UInt32) -> Bool {
    user == 0 || user == owner
  }
}
