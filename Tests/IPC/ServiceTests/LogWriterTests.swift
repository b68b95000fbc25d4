import FaceCore
import Logging
import Posix
import Service
import Testing

@Suite struct LogWriterTests {
  /// A reader that can stop reading.
  private final class Reader: Sendable {
    private let state = Monitor((text: "", isStuck: false, calls: 0))
    private let changed = Condition()

    var text: String { state.withLock { $0.text } }

    func take(_ text: String) {
      state.withLock { $0.calls += 1 }
      changed.wakeAll()
      _ = state.wait(for: changed) { state -> Bool? in
        if state.isStuck { return nil }
        state.text += text
        return true
      }
    }

    func stop() { state.withLock { $0.isStuck = true } }

    func goOn() {
      state.withLock { $0.isStuck = false }
      changed.wakeAll()
    }

    /// Waits until it was called that many times.
    func waitUntilCalled(_ calls: Int) {
      _ = state.wait(for: changed) { state in state.calls >= calls ? true : nil }
    }
  }

  private func logger(_ writer: LogWriter) -> Logger {
    Logger(label: writer.label, factory: { _ in LineLogHandler(writer) })
  }

  @Test func linesHaveTheirUsualForm() throws {
    let reader = Reader()
    let writer = try LogWriter(label: "engine") { reader.take($0) }
    logger(writer).warning("first", metadata: ["b": "2", "a": "1"])
    logger(writer).debug("not logged")
    logger(writer).error("last")
    writer.finish(within: .seconds(10))
    let lines = reader.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }
    #expect(lines == ["warning engine: a=1 b=2 [ServiceTests] first", "error engine: [ServiceTests] last"])
    let time = try #require(reader.text.split(separator: " ").first)
    #expect(time.utf8.count == 24)
  }

  @Test func stalledReaderBlocksNoWriterAndLearnsHowManyLinesItMissed() throws {
    let reader = Reader()
    let writer = try LogWriter(label: "engine", limit: 1000) { reader.take($0) }
    reader.stop()
    logger(writer).notice("in hand")
    reader.waitUntilCalled(1)
    for number in 0..<10_000 { logger(writer).notice("line \(number)") }
    reader.goOn()
    reader.waitUntilCalled(2)
    writer.finish(within: .seconds(10))
    let lines = reader.text.split(separator: "\n")
    #expect(lines.count > 3)
    #expect(lines.count < 30)
    #expect(lines[lines.count - 2].hasSuffix("line \(lines.count - 3)"))
    #expect(lines.last?.contains("count=\(10_000 - (lines.count - 2)) ") == true)
    #expect(lines.last?.contains("lines left out") == true)
  }

  /// Without the allowance a peer whose calls are all refused would fill the disk.
  @Test func linesBeyondTheAllowanceAreCountedAndToldOnce() throws {
    let reader = Reader()
    let writer = try LogWriter(label: "engine", linesPerSecond: 20) { reader.take($0) }
    for number in 0..<200 { logger(writer).notice("line \(number)") }
    logger(writer).error("never left out")
    // No line follows, and the count is still reported.
    while !reader.text.contains("lines left out") { CurrentProcess.sleep(for: .milliseconds(1)) }
    var logged = 200
    while !reader.text.contains("afterwards") {
      logger(writer).notice("line, afterwards")
      logged += 1
      CurrentProcess.sleep(for: .milliseconds(1))
    }
    writer.finish(within: .seconds(10))
    let lines = reader.text.split(separator: "\n")
    let written = lines.count { $0.contains("[ServiceTests] line") }
    let leftOut = lines.filter { $0.contains("lines left out") }
      .compactMap { line in line.split(separator: " ").first { $0.hasPrefix("count=") } }
      .compactMap { Int($0.dropFirst("count=".count)) }
    #expect(written >= 20 && written < 200)
    #expect(written + leftOut.reduce(0, +) == logged)
    #expect(lines.count { $0.contains("never left out") } == 1)
  }

  @Test func allowanceIsRenewedAfterAQuietSecond() throws {
    let reader = Reader()
    let writer = try LogWriter(label: "engine", linesPerSecond: 1) { reader.take($0) }
    for number in 0..<2 {
      logger(writer).notice("line \(number)")
      CurrentProcess.sleep(for: .milliseconds(1100))
    }
    writer.finish(within: .seconds(10))
    #expect(reader.text.split(separator: "\n").map { $0.suffix(6) } == ["line 0", "line 1"])
  }

  @Test func textFromPeersStaysOneShortLine() throws {
    #expect(LogLine.plain("plain text, \"quoted\" é 顔") == "plain text, \"quoted\" é 顔")
    #expect(
      LogLine.plain("a\n\u{1B}[31m\r\t\u{85}\u{2028}\u{202E}\\n")
        == #"a\u{A}\u{1B}[31m\u{D}\u{9}\u{85}\u{2028}\u{202E}\\n"#)
    let long = LogLine.plain(String(repeating: "é", count: 1_000_000))
    #expect(long == String(repeating: "é", count: 250) + "… (2000000 bytes)")

    let reader = Reader()
    let writer = try LogWriter(label: "engine") { reader.take($0) }
    logger(writer).notice("a\nb", metadata: ["reason": "c\nd"])
    writer.finish(within: .seconds(10))
    #expect(reader.text.hasSuffix(#"reason=c\u{A}d [ServiceTests] a\u{A}b"# + "\n"))
  }

  /// Whatever a peer sends, the line has no field that the engine did not write.
  @Test func noValueCanFakeAField() throws {
    for (value, written) in [
      ("plain", "plain"), ("", "\"\""), ("pid 1 uid 2", "\"pid 1 uid 2\""), ("a=b", "\"a=b\""), ("é顔", "é顔"),
      (#"x" status=OK peer="me"#, #""x\" status=OK peer=\"me""#), (#"x\" a=1"#, #""x\\\" a=1""#),
    ] {
      #expect(LogLine.quoted(value) == written)
    }
    let reader = Reader()
    let writer = try LogWriter(label: "engine") { reader.take($0) }
    logger(writer).notice("refused", metadata: ["client": "x peer=root", "peer": "pid 1 uid 2"])
    writer.finish(within: .seconds(10))
    #expect(reader.text.hasSuffix(#" client="x peer=root" peer="pid 1 uid 2" [ServiceTests] refused"# + "\n"))
  }

  @Test func finishDoesNotWaitForeverForTheReader() throws {
    let reader = Reader()
    let writer = try LogWriter(label: "engine") { reader.take($0) }
    reader.stop()
    logger(writer).notice("never written")
    writer.finish(within: .milliseconds(1))
    #expect(reader.text == "")
    reader.goOn()
    writer.finish(within: .seconds(10))
    #expect(reader.text.contains("never written"))
  }
}
