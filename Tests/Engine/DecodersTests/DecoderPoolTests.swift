import Decoders
import FaceCore
import Foundation
import Imaging
import Posix
import TestSupport
import Testing

@Suite struct DecoderPoolTests {
  /// The program that decoders are started from.
  private static let program =
    "\(Fixture.repository)/\(Environment.value("FACE_ENGINE_BUILD") ?? ".build/release")/face-engine"

  private func pool(takesAllKinds: Bool = false) throws -> DecoderPool {
    try DecoderPool(program: Self.program, takesAllKinds: takesAllKinds)
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
    let canceller = Canceller()
    let checks = Monitor(0)
    var token = CancellationToken(canceller: canceller)
    // When the file was copied, and the process is at work.
    token.asked = {
      let count = checks.withLock { count in
        count += 1
        return count
      }
      if count == 20 { canceller.cancel() }
    }
    let status = failure { () throws(Status) in _ = try whole(SlowPicture.gif, decoder, token) }
    #expect(status?.code == .cancelled)
    #expect(pool.counts.killed == 1 && pool.counts.busy == 0 && pool.counts.lost == 0)
    let quick = try Fixture.image("palette.gif")
    #expect(outcome(quick, decoder) == outcome(quick, nil))
    #expect(pool.failure == nil)
  }

  @Test func aDeadlineKillsTheProcess() throws {
    let pool = try pool()
    let token = CancellationToken(timeout: 200_000_000)
    let status = failure { () throws(Status) in
      _ = try whole(SlowPicture.gif, pool.decoder(for: 1), token)
    }
    #expect(status?.code == .deadlineExceeded)
    #expect(status?.message.hasSuffix("set a lower max side") == true, "there may be one")
    #expect(pool.counts.killed == 1 && pool.counts.busy == 0)
  }

  @Test func processorTimeOfTheProcessIsTheCalls() throws {
    let pool = try pool()
    let token = CancellationToken().limited(toProcessorTime: 300_000_000)
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

  @Test func aProgramThatIsNoEngineIsNoticed() throws {
    #expect(throws: Status.self) { try DecoderPool(program: "/nonexistent/face-engine") }
    let pool = try DecoderPool(program: "/bin/false", isDetached: true)
    #expect(pool.failure?.code == .unavailable)
    let file = try Fixture.image("rgb.webp")
    guard case .failure(let status) = outcome(file, pool.decoder(for: 1)) else {
      Issue.record("a picture was decoded by /bin/false")
      return
    }
    #expect(status.code == .unavailable)
    #expect(status.message.hasSuffix("or send a JPEG or PNG"))
    // Where no kind is decoded without processes, none is advised.
    let all = try DecoderPool(program: "/bin/false", takesAllKinds: true, isDetached: true)
    let jpeg = try Fixture.image("quarters.jpg")
    let refused = failure { () throws(Status) in _ = try whole(jpeg, all.decoder(for: 1)) }
    #expect(refused?.code == .unavailable)
    #expect(refused?.message.hasSuffix("start the engine anew") == true)
  }
}
