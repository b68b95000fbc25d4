import FaceCore
import Inference
import TestSupport
import Testing

@Suite struct NcnnGraphTests {
  /// Two layers and two blobs: the smallest complete graph.
  private static let small = """
    7767517
    2 2
    Input input 0 1 data
    ReLU relu 1 1 data out 0=0.1
    """

  private func problem(_ text: String) -> Status? {
    failure { () throws(Status) in try NcnnGraph.check(Array(text.utf8)) }
  }

  private func expect(_ text: String, says words: String, at place: SourceLocation = #_sourceLocation) {
    expectFailure(.failedPrecondition, words, sourceLocation: place) { try NcnnGraph.check(Array(text.utf8)) }
  }

  @Test func aWholeGraphIsAccepted() {
    #expect(problem(Self.small) == nil)
    #expect(problem(Self.small + "\n\n") == nil)
    #expect(problem(Self.small.replacing("\n", with: "\r\n")) == nil)
    #expect(problem(Self.small.replacing(" ", with: "\t  ")) == nil)
  }

  @Test func theBlobsOfInputLayersAreTheInputs() throws {
    #expect(try NcnnGraph.check(Array(Self.small.utf8)) == ["data"])
    let two = "7767517\n3 3\nInput a 0 1 left\nInput b 0 1 right\nBinaryOp c 2 1 left right sum 0=0\n"
    #expect(try NcnnGraph.check(Array(two.utf8)) == ["left", "right"])
  }

  @Test func textThatIsNoGraphIsRefused() {
    for text in ["", "\n", "7767518\n1 1\nInput i 0 1 d", "{}", "\u{0}\u{1}\u{2}", "7767517 7\n1 1"] {
      expect(text, says: "not an ncnn graph")
    }
  }

  @Test(arguments: [
    "", "2", "2 2 2", "two 2", "0 2", "2 0", "-1 2", "65537 2", "2 65537", "99999999999999999999 2",
  ])
  func invalidBlobAndLayerCountsAreRefused(counts: String) {
    expect(Self.small.replacing("2 2", with: counts), says: "not two counts")
  }

  @Test func aGraphCutAtALineIsSeen() {
    let lines = Self.small.split(separator: "\n")
    expect(lines.dropLast().joined(separator: "\n"), says: "cut short")
    expect(Self.small + "\nReLU another 1 1 out end", says: "cut short")
  }

  @Test(arguments: [
    "ReLU relu 1", "ReLU relu 1 1", "ReLU relu 1 1 data", "ReLU relu 2 1 data out",
    "ReLU relu one 1 data out",
    "ReLU relu -1 1 data out", "ReLU relu 1 65537 data out", "ReLU relu 9223372036854775807 1 data out",
  ])
  func aLayerThatIsNotCompleteIsNamed(line: String) {
    expect(Self.small.replacing("ReLU relu 1 1 data out 0=0.1", with: line), says: "layer 2 ")
  }

  /// ncnn reads each word into 256 bytes.
  @Test func tooLongWordsAreRefused() {
    let limit = String(repeating: "r", count: 255)
    #expect(problem(Self.small.replacing("relu", with: limit)) == nil)
    expect(Self.small.replacing("relu", with: limit + "r"), says: "layer 2 ")
  }

  /// ncnn gives every unknown name a new blob, and has only as many as the second line says.
  @Test func inputMustBeAnOutputOfAnEarlierLayer() {
    expect(Self.small.replacing("1 1 data out", with: "1 1 date out"), says: "date")
    expect(Self.small.replacing("1 1 data out", with: "1 1 out out"), says: "out")
  }

  @Test func numberOfBlobsMustMatchTheCount() {
    expect(Self.small.replacing("2 2", with: "2 1"), says: "blobs")
    expect(Self.small.replacing("2 2", with: "2 3"), says: "blobs")
    expect(Self.small.replacing("1 1 data out", with: "1 2 data out more"), says: "blobs")
  }
}
