import Engine
import FaceCore
import ModelStore
import TestSupport
import Testing

/// Almost valid folders: the error of each names the folder.
@Suite(.needsRealModel) struct DetectorPackageTests {
  private let manifest: String
  private let package: ModelPackage
  private let folder: TemporaryFolder

  init() throws {
    manifest = String(decoding: try Fixture.bytes("Models/yunet/model.json"), as: UTF8.self)
    package = try RealModel.package()
    folder = try TemporaryFolder()
  }

  /// Loads the package with `original` replaced in its manifest, then looks for faces once.
  private func problem(_ original: String = "", _ replacement: String = "") throws -> Status? {
    let text =
      original.isEmpty ? manifest : manifest.replacing(original, with: replacement, maxReplacements: 1)
    #expect(original.isEmpty || text != manifest)
    try folder.write("model.json", text.utf8)
    try folder.write("yunet.param", package.graph)
    try folder.write("yunet.bin", package.weights)
    try folder.write("yunet.int8", try Fixture.bytes("Models/yunet/yunet.int8"))
    return failure { () throws(Status) in
      _ = try Engine(modelFolders: [folder.path]).detect(Picture(64, 64) { _, _ in RGB(9, 9, 9) })
    }
  }

  @Test func aCopyOfThePackageLoads() throws {
    #expect(try problem() == nil)
  }

  @Test(arguments: [
    ("\"family\": \"yunet\"", "\"family\": \"metronet\"", "metronet"),
    ("\"cls\": [", "\"nocls\": [", "\"cls\""),
    ("\"points\": [", "\"nopoints\": [", "\"points\""),
  ])
  func anUnknownFamilyOrAMissingOutputIsNamed(original: String, replacement: String, words: String) throws {
    let problem = try #require(try problem(original, replacement))
    #expect(problem.code == .failedPrecondition)
    #expect(problem.message.hasPrefix(folder.path) && problem.message.contains(words))
  }

  /// Without the plug-in, that is what the error names: to the kernels such a network is one of other layers.
  @Test(.needsNcnn) func blobsMissingFromTheNetworkAreNamed() throws {
    let input = try #require(try problem("\"blob\": \"in0\"", "\"blob\": \"in1\""))
    #expect(input.code == .failedPrecondition && input.message.contains("in1"))
    let output = try #require(try problem("\"out11\"", "\"out12\""))
    #expect(output.code == .failedPrecondition && output.message.contains("out12"))
  }

  @Test func outputsInTheWrongPlaceAreRefused() throws {
    for (one, other) in [("\"out0\"", "\"out1\""), ("\"out0\"", "\"out6\""), ("\"out6\"", "\"out9\"")] {
      #expect(try problem(one, other)?.code == .failedPrecondition)
    }
  }

  /// An inner blob takes 16 channels or more, and the image has three.
  @Test func anInputThatIsNotTheNetworksInputIsRefused() throws {
    #expect(try problem("\"blob\": \"in0\"", "\"blob\": \"5\"")?.code == .failedPrecondition)
    #expect(try problem("\"blob\": \"in0\"", "\"blob\": \"out0\"")?.code == .failedPrecondition)
  }
}
