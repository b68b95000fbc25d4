import Capture
import FaceCore
import Posix
import TestSupport
import Testing

@Suite struct PictureSourceTests {
  @Test func missingFileFailsAloneAndOthersGoOn() throws {
    let folder = try TemporaryFolder()
    let paths = [folder.path + "/none.jpg", try folder.write("a.jpg", [1, 2])]
    let record = try SourceRecord(PictureSource(paths, pace: nil, SourceRecord.heap))
    #expect(record.broken.map(\.code) == [.notFound])
    #expect(record.frames == [[[1, 2]]] && record.origins.map(\.path) == paths && record.failure == nil)
  }

  @Test func aPaceIsKeptAndInterrupted() throws {
    let folder = try TemporaryFolder()
    let paths = try (0..<3).map { try folder.write("\($0).jpg", [1]) }
    let start = MonotonicTime.now()
    let record = try SourceRecord(PictureSource(paths, pace: FrameRate(100), SourceRecord.heap))
    #expect(MonotonicTime.now() >= start + .milliseconds(20))
    #expect(record.origins.map(\.timestamp) == [0, 10_000_000, 20_000_000])
    // At one picture an hour, only the first arrives before the interruption, which ends the wait.
    let slow = PictureSource(paths, pace: FrameRate(1, 3600), SourceRecord.heap)
    let interruption = try Interruption()
    #expect(try slow.next(or: interruption).frame != nil, "the first picture is due at once")
    interruption.signal()
    #expect(try slow.next(or: interruption).isEnd)
  }
}
