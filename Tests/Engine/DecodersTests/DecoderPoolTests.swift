import Decoders
import FaceCore
import Foundation
import Imaging
import Posix
import TestSupport
import Testing

@Suite struct DecoderPoolTests {
  private func pool(takesAllKinds: Bool = false) throws -> DecoderPool {
    try DecoderPool(program: Launcher.engine, takesAllKinds: takesAllKinds)
  }

  /// The whole upright picture, or why there is none.
  private func whole(
    _ file: [UInt8], _ decoder: (any FileDecoder)?, _ token: CancellationToken? = nil
  ) throws(Status) -> Picture {
    try file.borrowed { bytes throws(Status) in
      var input = ImageInput(.encoded(bytes))
      (input.decoder, input.cancellation) = (decoder, token)
      return Picture(try UprightImage(input, willCrop: true).whole())
    }
  }

  private func outcome(_ file: [UInt8], _ decoder: (any FileDecoder)?) -> Result<Picture, Status> {
    Result { () throws(Status) in try whole(file, decoder) }
  }

  private static let files: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: "\(Fixture.repository)/Tests/Fixtures/images"))?
    .filter { !$0.hasPrefix(".") }.sorted() ?? []

  @Test func theSamePixelsAndErrorsComeFromAProcess() throws {
    let decoder = try pool(takesAllKinds: true).decoder(for: 1)
    try #require(Self.files.count > 20)
    for name in Self.files {
      let file = try Fixture.image(name)
      #expect(outcome(file, decoder) == outcome(file, nil), "\(name)")
      let half = Array(file.prefix(file.count / 2))
      #expect(outcome(half, decoder) == outcome(half, nil), "half of \(name)")
    }
  }

  @Test func aProcessReadsWhatAFileSaysAboutItsPixels() throws {
    let decoder = try pool(takesAllKinds: true).decoder(for: 1)
    let photo = ICCProfile.adding(ICCProfile.rgb, toJPEG: try Fixture.image("quarters.jpg"))
    for (file, kind) in [(photo, PictureKind.jpeg), (try Fixture.image("rgb.png"), .png)] {
      let (there, here) = try file.borrowed { bytes throws(Status) in
        (try decoder.open(bytes, kind, nil).metadata(nil), try ImageDecoder.metadata(of: bytes))
      }
      #expect(there == here && here.profile.isEmpty == (kind == .png))
    }
  }

  /// A decoder that opens no file.
  private struct NoDecoder: FileDecoder {
    let takesAllKinds = false

    func open(
      _: UnsafeRawBufferPointer, _: PictureKind, _: CancellationToken?
    ) throws(Status) -> any OpenedFile {
      throw Status(.unavailable, "it opens no file")
    }
  }

  @Test func kindsThatCanBeStoppedNeedNoProcess() throws {
    for name in Self.files {
      let file = try Fixture.image(name)
      let isStopped = [".jpg", ".png"].contains { name.hasSuffix($0) }
      let found = outcome(file, NoDecoder())
      if isStopped { #expect(found == outcome(file, nil), "\(name)") }
      if case .success = found { #expect(isStopped, "\(name)") }
    }
  }

  @Test func aCallThatIsCancelledKillsItsProcessAndTheNextOneHasAnother() throws {
    let pool = try pool()
    let decoder = pool.decoder(for: 1)
    // At a later check each time, until the process is at work.
    for last in 1...100 where pool.counts.killed == 0 {
      let (canceller, checks) = (Canceller(), Monitor(0))
      var token = CancellationToken(canceller: canceller)
      token.asked = {
        checks.withLock { count in
          count += 1
          if count == last { canceller.cancel() }
        }
      }
      expectFailure(.cancelled) { try whole(SlowPicture.gif, decoder, token) }
    }
    let counts = pool.counts
    #expect(counts.killed == 1 && counts.busy == 0 && counts.lost == 0, "\(counts)")
    let quick = try Fixture.image("palette.gif")
    #expect(outcome(quick, decoder) == outcome(quick, nil))
    #expect(pool.failure == nil)
  }

  /// On a busy machine the first deadlines may pass before there is a process.
  @Test func aDeadlineKillsTheProcess() throws {
    let pool = try pool()
    var (timeout, status): (TimeSpan, Status?) = (.milliseconds(200), nil)
    repeat {
      let token = CancellationToken(timeout: timeout)
      status = expectFailure(.deadlineExceeded) { try whole(SlowPicture.gif, pool.decoder(for: 1), token) }
      timeout = timeout * 2
    } while pool.counts.killed == 0 && timeout < .seconds(60)
    #expect(status?.message.hasSuffix("set a lower max_side") == true, "there may be one")
    #expect(pool.counts.killed == 1 && pool.counts.busy == 0)
  }

  @Test func processorTimeOfTheProcessIsTheCalls() throws {
    let pool = try pool()
    let token = CancellationToken().limited(toProcessorTime: .milliseconds(300))
    let status = failure { () throws(Status) in
      _ = try whole(SlowPicture.gif, pool.decoder(for: 1), token)
    }
    #expect(status?.detail == .limit("processor_time_per_call_ns"))
    #expect(pool.counts.killed == 1)
  }

  /// Calls at the same time, of several users and kinds.
  @Test func manyCallsAreServedAtOnce() throws {
    let pool = try pool(takesAllKinds: true)
    let names = ["rgb.webp", "rgb.tiff", "palette.gif", "rgb.bmp", "rgb.png", "quarters.heic"]
    let expected = try names.map { try outcome(Fixture.image($0), nil) }
    let wrong = Monitor(0)
    let threads = try (0..<8).map { number in
      try Posix.Thread(name: "caller") {
        for round in 0..<10 {
          let index = (number + round) % names.count
          guard let file = try? Fixture.image(names[index]) else { continue }
          let found = outcome(file, pool.decoder(for: UInt32(number / 2)))
          if found != expected[index] { wrong.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.withLock { $0 } == 0)
    #expect(pool.counts == DecoderCounts())
  }

  // MARK: The processes that fork decoders

  @Test func aProgramThatIsLostIsStartedAgain() throws {
    let launcher = try Launcher()
    let pool = try DecoderPool(program: launcher.program, startsAgain: true)
    let file = try Fixture.image("rgb.webp")
    let expected = outcome(file, nil)
    for user in 1...3 {
      #expect(outcome(file, pool.decoder(for: UInt32(user))) == expected)
      try launcher.signal(SIGKILL)
    }
    #expect(outcome(file, pool.decoder(for: 4)) == expected)
    // One that is stopped is not waited for, and its answer, when it comes, is no one's.
    let stopped = try launcher.id
    kill(stopped, SIGSTOP)
    #expect(outcome(file, pool.decoder(for: 5)) == expected)
    kill(stopped, SIGCONT)
    for user in 6...9 { #expect(outcome(file, pool.decoder(for: UInt32(user))) == expected) }
    #expect(pool.failure == nil)
    #expect(pool.counts == DecoderCounts())
  }

  @Test func aLostProcessIsReplacedByItsCopy() throws {
    let launcher = try Launcher(again: false)
    let pool = try DecoderPool(program: launcher.program)
    let file = try Fixture.image("rgb.webp")
    let expected = outcome(file, nil)
    #expect(outcome(file, pool.decoder(for: 1)) == expected)
    try launcher.signal(SIGKILL)
    for user in 2...4 { #expect(outcome(file, pool.decoder(for: UInt32(user))) == expected) }
    #expect(pool.failure == nil)
  }

  @Test func aLateAnswerIsNotFinal() throws {
    let launcher = try Launcher(stops: true)
    let pool = try DecoderPool(program: launcher.program)
    let file = try Fixture.image("rgb.webp")
    let short = CancellationToken(timeout: .milliseconds(50))
    expectFailure(.deadlineExceeded) { try whole(file, pool.decoder(for: 1), short) }
    let status = failure { () throws(Status) in _ = try whole(file, pool.decoder(for: 1)) }
    #expect(status?.code == .unavailable)
    #expect(status?.message.hasPrefix("decoders cannot be started") == true)
    #expect(pool.failure == status)
    let stat = "/proc/\(try launcher.id)/stat"
    while try !String(contentsOfFile: stat, encoding: .utf8).contains(") T ") { usleep(1000) }
    try launcher.signal(SIGCONT)
    #expect(outcome(file, pool.decoder(for: 1)) == outcome(file, nil))
  }

  @Test func aProgramThatCannotBeStartedAgainIsNamed() throws {
    let launcher = try Launcher(again: false)
    let pool = try DecoderPool(program: launcher.program, startsAgain: true)
    let file = try Fixture.image("rgb.webp")
    #expect(outcome(file, pool.decoder(for: 1)) == outcome(file, nil))
    try launcher.signal(SIGKILL)
    expectFailure(.unavailable, "ended 3 times before it answered") { try whole(file, pool.decoder(for: 2)) }
    try FileManager.default.removeItem(atPath: launcher.program)
    let missing = failure { () throws(Status) in _ = try whole(file, pool.decoder(for: 3)) }
    #expect(missing?.code == .unavailable)
    #expect(missing?.message.hasSuffix("install face-engine again") == true, "\(missing?.message ?? "")")
  }

  @Test func aProgramThatIsNoEngineIsNoticed() throws {
    #expect(throws: Status.self) { try DecoderPool(program: "/nonexistent/face-engine") }
    let pool = try DecoderPool(program: "/bin/false")
    let file = try Fixture.image("rgb.webp")
    let refused = failure { () throws(Status) in _ = try whole(file, pool.decoder(for: 1)) }
    #expect(refused?.code == .unavailable)
    #expect(refused?.message.hasSuffix("or send a JPEG or PNG") == true)
    #expect(pool.failure?.code == .unavailable)
    // Where no kind is decoded without processes, none is advised.
    let all = try DecoderPool(program: "/bin/false", takesAllKinds: true)
    let jpeg = try Fixture.image("quarters.jpg")
    let other = failure { () throws(Status) in _ = try whole(jpeg, all.decoder(for: 1)) }
    #expect(other?.message.hasSuffix("restart this program") == true)
  }
}
