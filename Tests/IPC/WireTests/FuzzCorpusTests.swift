import Foundation
import Fuzz
import TestSupport
import Testing

/// The inputs that fuzzing has found so far, run through the same functions, which trap if a property does
/// not hold.
@Suite struct FuzzCorpusTests {
  static let corpus = URL(filePath: Fixture.repository).appending(path: "Tests/Fuzz/corpus")

  @Test(arguments: FuzzTarget.allCases)
  func fuzzTargetsHoldForEveryCorpusInput(target: FuzzTarget) throws {
    let folder = Self.corpus.appending(path: target.rawValue)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count >= 3)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      target.run(input.span)
      // Prefixes of the input are run, too.
      for count in 0..<min(input.count, 64) { target.run(input.span.extracting(first: count)) }
    }
  }
}
