package import Posix

/// The users and groups that may call. If both are empty, only the permissions of the socket decide.
public struct AccessList: Equatable, Sendable {
  public var users: Set<UInt32>
  public var groups: Set<UInt32>

  public init(users: Set<UInt32> = [], groups: Set<UInt32> = []) {
    self.users = users
    self.groups = groups
  }

  package func admits(user: UInt32, groups peerGroups: [UInt32]) -> Bool {
    users.isEmpty && groups.isEmpty || users.contains(user) || !groups.isDisjoint(with: peerGroups)
  }
}

extension Peer {
  /// Whether this peer may change an engine process of `owner`. Root and the owner, who could stop it anyway,
  /// may.
  package func mayAdminister(processOf owner: UInt32) -> Bool {
    user == 0 || user == owner
  }
}
