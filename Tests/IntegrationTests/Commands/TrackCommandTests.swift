import Foundation
import Testing

/// Tests the ids of `face-engine detect --track`; `FeatureCommandTests` has its flags.
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
    let gone = try frames(
      ["--track", "--min-hits", "1", "--max-missed-frames", "0", "--detection-interval", "1", photo]
        + ["Tests/Fixtures/images/quarters_large.jpg".fromCheckout])
    #expect(gone.map { $0.found.map(\.id) } == [[1], []] && gone.map(\.left) == [nil, [1]])
  }

  @Test func theTableShowsIdsToo() throws {
    let command = try Command.faceEngine(["detect", "--track", "--min-hits", "1", Checkout.photo])
    #expect(command.lines.contains { $0.contains("id 1") })
  }
}
