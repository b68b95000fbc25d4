import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing

/// Guided checks by a client of the engine.
@Suite struct RemoteStreamCheckTests {
  @Test func reportsComeWithTheFramesAndARestartCountsAnew() throws {
    let served = try Served()
    let check = adjusted(CheckOptions()) { $0.actions = [.smile] }
    let stream = try served.open(StreamOptions(.every, check: check))
    for index in 1...6 {
      // Frames without an event at a restart have no report.
      if index == 5, served.log.wait(for: 4).count == 4 { stream.restartCheck() }
      _ = try stream.submit(heldPicture, timestamp: 40)
    }
    let events = served.log.wait(for: 6)
    #expect(events.map { $0.check?.progress } == [1, 2, 3, 4, 1, 2])
    #expect(events.map { $0.check?.attempt } == [1, 1, 1, 1, 2, 2])
    #expect(events.allSatisfy { $0.check?.actionCount == 1 && $0.check?.actionsDone == 40 })
    #expect(events.map { $0.check?.results.count } == [0, 0, 1, 0, 0, 0])
    stream.close()
  }

  /// A lost connection restarts the attempt; the face in a result has the stream's id, as in the frame.
  @Test func theFaceOfAResultHasTheStreamsId() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every, check: CheckOptions()))
    _ = try stream.submit(heldPicture, timestamp: 0)
    #expect(served.log.wait(for: 1).first?.check?.progress == 1)
    served.engine.stop()
    let second = try served.next()
    var last: UInt64 = 0
    for _ in 0..<3 { last = try #require(eventually { try? stream.submit(heldPicture, timestamp: 0) }) }
    let events = served.log.wait(for: Int(last)).filter { $0.check != nil }
    #expect(events.last?.check?.results.first?.face.track?.id == 2)
    #expect(events.last?.check?.progress == 3)
    stream.close()
    second.stop()
  }
}

/// Grayscale pixels with a person in them.
private var heldPicture: HeldImage {
  get throws(Status) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1600, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 7)
    let view = try ImageView(format: .gray, width: 40, height: 40, bytes: UnsafeRawBufferPointer(bytes))
    return HeldImage(ImageInput(.pixels(view))) { bytes.deallocate() }
  }
}
