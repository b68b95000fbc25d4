import CPictureDecoders
import Dispatch
import FaceCore
import Imaging
import Synchronization
import TestSupport
import Testing

/// Libraries that cannot be polled work on a thread that a call leaves behind when it ends. The tests run one
/// after the other, since the threads left behind are counted.
@Suite(.serialized) struct DetachedDecodingTests {
  /// Work that lasts until the test ends it.
  private final class Work: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let released = DispatchSemaphore(value: 0)
    let runs = Atomic(0)

    var raw: picture_work {
      picture_work(
        run: { context in
          guard let context else { return }
          let work = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue()
          work.runs.add(1, ordering: .relaxed)
          work.begun.signal()
          work.mayEnd.wait()
        },
        release: { context in
          guard let context else { return }
          let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
          work.released.signal()
        }, context: Unmanaged.passRetained(self).toOpaque())
    }
  }

  /// A caller that leaves at the `last`th poll.
  private final class Caller {
    let last: Int
    var questions = 0

    init(_ last: Int) { self.last = last }

    func run(_ work: Work) -> picture_status {
      withExtendedLifetime(self) {
        picture_run_detached(
          picture_caller(
            keep_going: { context in
              guard let context else { return false }
              let caller = Unmanaged<Caller>.fromOpaque(context).takeUnretainedValue()
              caller.questions += 1
              return caller.questions < caller.last
            }, context: Unmanaged.passUnretained(self).toOpaque()), work.raw, 2)
      }
    }
  }

  @Test func cancelledCallerReturnsWhileTheWorkContinues() {
    let work = Work()
    #expect(Caller(3).run(work) == PICTURE_STOPPED)
    // The call has returned, although the work has not ended.
    work.begun.wait()
    #expect(work.released.wait(timeout: .now()) == .timedOut)
    work.mayEnd.signal()
    work.released.wait()
    #expect(work.runs.load(ordering: .relaxed) == 1)
  }

  @Test func finishedWorkIsReturnedToItsCaller() {
    let work = Work()
    work.mayEnd.signal()
    #expect(Caller(.max).run(work) == PICTURE_DONE)
    #expect(work.released.wait(timeout: .now()) == .timedOut)
    Unmanaged.passUnretained(work).release()
  }

  /// The third caller waits, and may leave before its work has started.
  @Test func numberOfAbandonedThreadsIsBounded() {
    let left = [Work(), Work()]
    for work in left {
      #expect(Caller(1).run(work) == PICTURE_STOPPED)
      work.begun.wait()
    }
    // Other tests may have left some.
    #expect(AbandonedDecodings.count >= 2)
    let third = Work()
    #expect(Caller(2).run(third) == PICTURE_STOPPED)
    third.released.wait()
    #expect(third.runs.load(ordering: .relaxed) == 0)
    for work in left {
      work.mayEnd.signal()
      work.released.wait()
    }
    let fourth = Work()
    fourth.mayEnd.signal()
    #expect(Caller(.max).run(fourth) == PICTURE_DONE)
    Unmanaged.passUnretained(fourth).release()
  }

  /// A bitmap of 24 bits a pixel, all of one colour. Source: Microsoft, BITMAPINFOHEADER.
  private static func bmp(width: Int, height: Int) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let pixels = (width * 3 + 3) / 4 * 4 * height
    return Array("BM".utf8) + little(54 + pixels, 4) + little(0, 4) + little(54, 4) + little(40, 4)
      + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
      + [UInt8](repeating: 0, count: 24) + [UInt8](repeating: 77, count: pixels)
  }

  @Test(arguments: [16, 1024])
  func aPictureEndsWithItsCall(side: Int) throws {
    let file = Self.bmp(width: side, height: side)
    let canceller = Canceller()
    func decode() throws(Status) -> UInt8? {
      try file.borrowed { (file) throws(Status) in
        try ImageDecoder.decode(file, CancellationToken(canceller: canceller)).bitmap.bytes().first
      }
    }
    #expect(try decode() == 77)
    canceller.cancel()
    #expect(failure { () throws(Status) in _ = try decode() } == Canceller.status)
  }
}
