import Engine
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// CenterFace next to YuNet: damaged, or given by name.
@Suite(.needsRealModel, .needsCenterFace) struct HelperModelTests {
  /// With a damaged CenterFace, `high` fails and `balanced` runs YuNet alone. A reload mends both.
  @Test func balancedDoesWithoutADamagedHelper() throws {
    // Files that are not in a package's folder are those of the cache.
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: RealModel.folder, toPath: folder.path("yunet"))
    try folder.write("centerface/model.json", try Fixture.bytes("Models/centerface/model.json"))
    let damaged = try folder.write("centerface/centerface.param", "damaged".utf8)
    let engine = try Engine(modelFolders: [folder.path("yunet")])
    let small = Photo.bilinear(try Photo.picture("astronaut.png"), to: PixelSize(width: 256, height: 256))
    func modelsThatRun(_ accuracy: Accuracy) throws -> [String] {
      let options = adjusted(DetectionOptions()) { $0.accuracy = accuracy }
      let result = try engine.detect(small, options)
      #expect(result.faces.count == 1)
      return result.models.map(\.name)
    }
    for _ in 0..<2 { #expect(try modelsThatRun(.balanced) == ["yunet"]) }
    #expect(throws: Status.self) { try modelsThatRun(.high) }
    try engine.selfTest()
    try FileManager.default.removeItem(atPath: damaged)
    #expect(try modelsThatRun(.balanced) == ["yunet"])
    _ = try engine.reloadModels(named: "")
    #expect(try modelsThatRun(.balanced) == ["yunet", "centerface"])
  }

  /// A CenterFace that was given is the helper and may be named.
  @Test func aHelperThatWasGivenIsChosenByName() throws {
    let engine = try Engine(modelFolders: [RealModel.folder, "\(RealModel.folder)/../centerface"])
    let photo = try Photo.picture("astronaut.png")
    for accuracy in [Accuracy.balanced, .high] {
      let options = adjusted(DetectionOptions()) { ($0.accuracy, $0.model) = (accuracy, "centerface") }
      #expect(try engine.detect(photo, options).faces.count == 1)
    }
    _ = try engine.detect(photo, adjusted(DetectionOptions()) { $0.accuracy = .high })
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet", "centerface"])
  }
}
