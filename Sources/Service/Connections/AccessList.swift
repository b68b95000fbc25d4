/// Who may call, by the numbers that the kernel tells of a peer. An empty list is no list: then the permissions of the
/// socket decide alone.
public struct AccessList: Equatable, Sendable {
  public var users: Set<UInt32>
  public var groups: Set<UInt32>

  public init(users: Set<UInt32> = [], groups: Set<UInt32> = []) {
    self.users = users
    self.groups = groups
  }

  /// - Parameter peerGroups: every group of the peer.
  package func admits(user: UInt32, groups peerGroups: [UInt32]) -> Bool {
    users.isEmpty && groups.isEmpty || users.contains(user) || !groups.isDisjoint(with: peerGroups)
  }
}
