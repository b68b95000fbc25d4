import FaceCore
import Glibc
import Posix
import Service
import ServiceTestSupport
import Testing

@Suite struct AccessTests {
  @Test func peerIsAdmittedByUserOrGroup() {
    #expect(AccessList().admits(user: 7, groups: []))
    #expect(AccessList(users: [7]).admits(user: 7, groups: []))
    #expect(!AccessList(users: [7]).admits(user: 8, groups: [7]))
    #expect(AccessList(groups: [7]).admits(user: 8, groups: [1, 7]))
    #expect(!AccessList(groups: [7]).admits(user: 7, groups: [1]))
    #expect(AccessList(users: [1], groups: [7]).admits(user: 2, groups: [7]))
    #expect(!AccessList(users: [1], groups: [7]).admits(user: 2, groups: [8]))
  }

  @Test func unlistedPeerIsToldAndClosed() throws {
    let engine = try TestServer { $0.access = AccessList(users: [getuid() + 1], groups: [.max - 1]) }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure?.code == .permissionDenied)
    #expect(try peer.receive() == nil)
    let line = try #require(engine.log.lines.first { $0.contains("call refused") })
    for text in ["PERMISSION_DENIED", "pid \(getpid())", "uid \(getuid())", "Health/Check"] {
      #expect(line.contains(text))
    }
    #expect(engine.detector.calls == 0)
  }

  @Test func peerOfAListedGroupIsServed() throws {
    let engine = try TestServer { $0.access = AccessList(groups: [getgid()]) }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func peersGroupsAreThoseOfTheProcess() throws {
    let pair = try UnixSocket.pair()
    var groups = [gid_t](repeating: 0, count: 256)
    let count = Int(getgroups(Int32(groups.count), &groups))
    #expect(try Set(pair.first.peerGroups()) == Set(groups.prefix(count) + [getegid()]))
  }
}
