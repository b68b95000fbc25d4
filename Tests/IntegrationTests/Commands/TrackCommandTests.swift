import Foundation
import Testing

/// Tests `face-engine detect --track`, `--accuracy`, several `--model`, and `--use`.
@Suite struct TrackCommandTests {
  private func frames(_ arguments: [String]) throws -> [Line] {
    let command = try Command.faceEngine(["detect", "--json"] + arguments).succeeded()
    return try command.json
  }

  @Test func framesOfOneVideoHaveIds() throws {
    let photo = Checkout.photo
    for source in [["--model", Checkout.model], []] {
      let tracked = try frames(source + ["--track", photo, photo, photo, photo])
      // A face gets its id in its third frame unless another number is given.
      #expect(tracked.map { $0.found.map(\.id) } == [[nil], [nil], [1], [1]])
      #expect(tracked.allSatisfy { $0.left == nil })
    }
    #expect(try frames([photo]).first?.found.map(\.id) == [nil])
  }

  @Test func aFaceThatIsGivenHasAnIdOfItsOwn() throws {
    let photo = Checkout.photo
    let box = try #require(try frames([photo]).first?.found.first).box
    let follow = ["--track", "--follow", "\(box.x + 30),\(box.y - 20),\(box.width),\(box.height)"]
    let engine = try RunningEngine()
    for source in [["--model", Checkout.model], ["--socket", engine.socket]] {
      for only in [[], ["--followed-only"]] {
        let followed = try frames(source + follow + only + [photo, photo, photo])
        #expect(followed.map { $0.found.map(\.id) } == Array(repeating: [1 << 32], count: 3))
        for frame in followed {
          let found = try #require(frame.found.first).box
          // It is searched at another scale than the whole picture.
          #expect(abs(found.x - box.x) < box.width / 10 && abs(found.width - box.width) < box.width / 10)
        }
      }
    }
    for wrong in [
      ["--follow", "1,2,3,4"], ["--track", "--followed-only"], ["--track", "--follow", "1,2,0,4"],
    ] {
      #expect(try Command.faceEngine(["detect"] + wrong + [photo]).status != 0)
    }
  }

  @Test func atARateOfAnalysisMostFramesArePredicted() throws {
    let photos = Array(repeating: Checkout.photo, count: 6)
    let engine = try RunningEngine()
    for source in [["--model", Checkout.model], ["--socket", engine.socket]] {
      let rated = try frames(source + ["--track", "--min-hits", "1", "--analysis-rate", "5"] + photos)
      #expect(rated.map { $0.found.map(\.predicted) } == [[nil], [true], [true], [true], [true], [nil]])
      #expect(rated.allSatisfy { $0.found.map(\.id) == [1] })
      let slow = ["--track", "--analysis-rate", "5", "--frame-rate", "5"]
      #expect(try frames(source + slow + photos).allSatisfy { $0.found.map(\.predicted) == [nil] })
    }
  }

  /// It is back two and a half seconds after it was last seen at 2 frames a second, and ten at 0.5.
  @Test func aFaceThatReturnsHasItsIdAgain() throws {
    let empty = "Tests/Fixtures/images/quarters_large.jpg".fromCheckout
    let files = [Checkout.photo, empty, empty, empty, empty, Checkout.photo]
    let flags = ["--track", "--min-hits", "1", "--max-missed-frames", "0", "--detection-interval", "1"]
    let engine = try RunningEngine()
    for source in [["--model", Checkout.model], ["--socket", engine.socket]] {
      for (rate, more, id) in [
        ("2", ["--reidentify"], 1), ("2", [], 2), ("0.5", ["--reidentify"], 1), ("0.49", ["--reidentify"], 2),
      ] {
        let seen = try frames(source + flags + more + ["--frame-rate", rate] + files)
        #expect(seen.map { $0.found.map(\.id) } == [[1], [], [], [], [], [id]], "\(rate) \(more)")
        #expect(seen.map { $0.left ?? [] } == [[], [1], [], [], [], []])
      }
    }
    let check = try Command.faceEngine(["check", "--reidentify", "--model", Checkout.model, Checkout.photo])
    #expect(check.status != 0 && check.errors.contains("reidentify"))
  }

  @Test func theTableShowsIdsToo() throws {
    let command = try Command.faceEngine(["detect", "--track", "--min-hits", "1", Checkout.photo])
    #expect(command.lines.contains { $0.contains("id 1") })
  }

}
