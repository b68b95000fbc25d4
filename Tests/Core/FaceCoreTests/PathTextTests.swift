import FaceCore
import Testing

@Suite struct PathTextTests {
  @Test(arguments: ["", "a.jpg", "Noël/日本.jpg", "👩\u{200D}🔬", "\u{FFFD}", "\u{EF7F}\u{F000}"])
  func aNameInUTF8IsItsText(name: String) {
    #expect(String(path: Array(name.utf8)) == name)
    #expect(name.pathBytes == Array(name.utf8))
  }

  @Test func aByteThatIsNotUTF8IsACharacter() {
    let text = String(path: [0x4E, 0x6F, 0xEB, 0x6C])
    #expect(Array(text.unicodeScalars) == ["N", "o", "\u{EFEB}", "l"])
  }

  /// Overlong forms, surrogates, cut sequences, and the characters that stand for bytes.
  @Test(
    arguments: [
      [0xC0, 0x80], [0xED, 0xB3, 0xAB], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80], [0xFF, 0xFE, 0x41],
      [0xEE, 0xBE, 0x80],
      [0x61, 0xEE, 0xBF, 0xAB, 0x62], [0x80, 0xEE, 0xBF], [0xC3, 0xA9, 0xE9, 0xC3, 0xA9],
    ] as [[UInt8]])
  func theTextHasTheBytes(bytes: [UInt8]) {
    let text = String(path: bytes)
    #expect(text.pathBytes == bytes)
    #expect(text.cPath == bytes.map(CChar.init(bitPattern:)) + [0])
    #expect(text.cPath.withUnsafeBufferPointer { $0.baseAddress.map { String(path: $0) } } == text)
  }

  @Test func differentNamesHaveDifferentTexts() {
    // By bytes: as texts, letters that Unicode takes for equal are equal.
    var seen: Set<[UInt8]> = []
    for first in UInt8(0x7E)...0xFF {
      for second in UInt8(0x7E)...0xFF {
        let bytes = [0xEE, first, second]
        #expect(seen.insert(Array(String(path: bytes).utf8)).inserted)
        #expect(String(path: bytes).pathBytes == bytes)
      }
    }
  }

  /// To `lastIndex(of:)` the last of these slashes is another character.
  @Test func aSlashBeforeACombiningLetterIsASlash() throws {
    let path = "a/b/\u{301}.jpg"
    let slash = try #require(path.lastSlash)
    #expect(String(path[..<slash]) == "a/b")
    #expect("abc".lastSlash == nil)
  }
}
