import Decoders
import FaceCore
import Foundation
import Posix
import TestSupport
import Testing

/// What a call says whose decoder ends before it has answered.
@Suite struct DecoderLossTests {
  private let launcher: Launcher
  private let pool: DecoderPool

  init() throws {
    launcher = try Launcher()
    pool = try DecoderPool(program: launcher.program, startsAgain: true)
  }

  /// Signals for decoders, each for another one.
  private final class Signals: Sendable {
    private let state: Monitor<(left: ArraySlice<Int32>, struck: Set<pid_t>)>
    private let launcher: Launcher

    init(_ signals: [Int32], _ launcher: Launcher) {
      state = Monitor((signals[...], []))
      self.launcher = launcher
    }

    var isDone: Bool { state.withLock { $0.left.isEmpty } }

    /// Sends the next signal if there is a decoder that had none, and waits until that has ended.
    func strike() {
      state.withLock { state in
        guard let signal = state.left.first,
          let decoder = try? launcher.children.subtracting(state.struck).first, kill(decoder, signal) == 0
        else { return }
        state.left.removeFirst()
        state.struck.insert(decoder)
        while (try? launcher.children.contains(decoder)) == true { usleep(1000) }
      }
    }
  }

  private func open(_ gif: [UInt8]) throws(Status) -> any OpenedFile {
    try gif.borrowed { bytes throws(Status) in try pool.decoder(for: 1).open(bytes, .gif, nil) }
  }

  private func decode(
    _ file: any OpenedFile, _ token: CancellationToken? = nil
  ) -> Result<Int, Status> {
    Result { () throws(Status) in try file.decode(PixelForm(), size: file.size, token).bytes.count }
  }

  /// The first signal comes between the header and the pixels, the second one while the next decoder is at work.
  @Test(
    arguments: [
      ([SIGKILL], nil, 1), ([SIGUSR1], nil, 1), ([SIGBUS], nil, 1),
      ([SIGKILL, SIGKILL], .resourceExhausted, 2), ([SIGKILL, SIGBUS], .resourceExhausted, 2),
      ([SIGKILL, SIGUSR1], .unavailable, 2), ([SIGKILL, SIGSEGV], .invalidArgument, 2),
      ([SIGSEGV], .invalidArgument, 1), ([SIGABRT], .invalidArgument, 1), ([SIGSYS], .invalidArgument, 1),
      ([SIGXCPU], .resourceExhausted, 1),
    ] as [([Int32], StatusCode?, Int)])
  func anEndIsTheFilesFaultOnlyIfTheFileIsToBlame(_ signals: [Int32], _ expected: StatusCode?, _ lost: Int)
    throws
  {
    let strikes = Signals(signals, launcher)
    let bytes = signals.count > 1 ? SlowPicture.gif : try Fixture.image("palette.gif")
    let file = try open(bytes)
    strikes.strike()
    var token = CancellationToken()
    token.asked = strikes.strike
    let outcome = decode(file, token)
    #expect(strikes.isDone)
    switch outcome {
    case .success: #expect(expected == nil)
    case .failure(let status): #expect(status.code == expected, "\(status)")
    }
    #expect(pool.counts.lost == lost)
    // The file keeps its decoder, or the reason why it has none.
    #expect(pool.counts.busy == (expected == nil ? 1 : 0))
    if expected != nil { #expect(decode(file) == outcome) }
  }

  /// As in a freeze: a decoder ends by itself when nothing came for some seconds.
  @Test func aFileThatWaitedForItsPixelsIsOpenedAgain() throws {
    let file = try open(Fixture.image("palette.gif"))
    let first = try launcher.children
    #expect(first.count == 1)
    while try !launcher.children.isDisjoint(with: first) { usleep(10_000) }
    #expect(decode(file) == decode(file))
    #expect((try? decode(file).get()) != nil && pool.counts.lost == 0)
  }

  /// The process that could tell how its decoder has ended does not answer.
  @Test func anUnknownEndIsNoFault() throws {
    let file = try open(Fixture.image("palette.gif"))
    let stopped = try launcher.id
    Signals([SIGSEGV], launcher).strike()
    kill(stopped, SIGSTOP)
    defer { kill(stopped, SIGCONT) }
    #expect((try? decode(file).get()) != nil && pool.counts.lost == 0)
  }

  /// What a program does instead of starting decoders.
  @Test(
    arguments: [
      ("exec sleep infinity", .unavailable), ("kill -TERM $$", .unavailable),
      ("kill -KILL $$", .resourceExhausted), ("exit 75", .resourceExhausted),
      ("exit 1", .failedPrecondition), ("exit 0", .failedPrecondition),
      ("kill -SEGV $$", .failedPrecondition),
    ] as [(String, StatusCode)])
  func aProgramThatFailsSaysWhetherToTryAgain(_ lines: String, _ expected: StatusCode) throws {
    let program = try Launcher(lines)
    // Only the one that says nothing is waited for in vain.
    let patience: TimeSpan = lines.contains("sleep") ? .milliseconds(100) : .seconds(60)
    expectFailure(expected) {
      try DecoderPool(program: program.program, isDetached: true, patience: patience)
    }
    // It may have been killed before it had written its number.
    if let id = try? program.id { #expect(kill(id, 0) == -1) }
  }

  @Test func aFileThatIsNoProgramIsAFaultOfTheInstallation() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("face-engine", [0x7F, 0x45, 0x4C, 0x46, 9, 9, 9])
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    let status = #expect(throws: Status.self) { try DecoderPool(program: path) }
    #expect(
      status?.code == .failedPrecondition && status?.message.hasSuffix("install face-engine again") == true)
  }
}
