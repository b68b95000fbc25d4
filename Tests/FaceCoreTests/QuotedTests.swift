import FaceCore
import Testing

@Suite struct QuotedTests {
  @Test func namesAreQuotedAsTheyAre() {
    #expect("yunet".quoted == "\"yunet\"")
    #expect("".quoted == "\"\"")
    let hundred = String(repeating: "é", count: 50)
    #expect(hundred.quoted == "\"\(hundred)\"")
  }

  @Test func longOnesAreCutBetweenCharacters() {
    let long = String(repeating: "é", count: 49) + "abc" + String(repeating: "é", count: 1_000_000)
    #expect(long.quoted == "\"\(String(repeating: "é", count: 49))ab…\" (2000101 bytes)")
  }
}
