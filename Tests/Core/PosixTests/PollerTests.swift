import FaceCore
import Posix
import Testing

@Suite struct PollerTests {
  @Test func pollerReportsReadyDescriptors() throws {
    let poller = try Poller()
    let wakeup = try Wakeup()
    let pair = try UnixSocket.pair()
    try poller.add(wakeup, token: 1, for: .read)
    try poller.add(pair.first, token: .max, for: [.read, .write])
    var seen: [UInt64: Poller.Event] = [:]
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen.count == 1)
    #expect(seen[.max]?.writable == true)
    #expect(seen[.max]?.readable == false)

    try poller.change(pair.first, token: .max, to: [])
    wakeup.signal()
    wakeup.signal()
    seen = [:]
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen[1]?.readable == true)
    wakeup.clear()
    seen = [:]
    try poller.wait(until: .now()) { seen[$0.token] = $0 }
    #expect(seen.isEmpty)

    try poller.change(pair.first, token: .max, to: .read)
    pair.second.finishWriting()
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen[.max]?.readable == true)
    #expect(seen[.max]?.ended == false)
    poller.remove(pair.first)
    poller.remove(wakeup)
  }
}
