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
    for name in ["yunet", "centerface"] {
      let path = "\(RealModel.folder)/../\(name)/model.json"
      try folder.write("\(name)/model.json", try #require(FileManager.default.contents(atPath: path)))
    }
    let damaged = try folder.write("centerface/centerface.param", "damaged".utf8)
    let engine = try Engine(modelFolders: [folder.path("yunet")])
    let small = Photo.bilinear(try Photo.picture("astronaut.png"), to: PixelSize(width: 256, height: 256))
    func modelsThatRun(_ accuracy: Accuracy) throws -> [String] {
      var options = DetectionOptions()
      options.accuracy = accuracy
      let result = try small.withView(.bgra) { view throws(Status) in
        try engine.detect(ImageInput(.pixels(view)), options: options)
      }
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
      var options = DetectionOptions()
      options.accuracy = accuracy
      options.model = "centerface"
      let result = try photo.withView(.bgra) { view throws(Status) in
        try engine.detect(ImageInput(.pixels(view)), options: options)
      }
      #expect(result.faces.count == 1)
    }
    _ = try photo.withView(.bgra) { view throws(Status) in
      var options = DetectionOptions()
      options.accuracy = .high
      return try engine.detect(ImageInput(.pixels(view)), options: options)
    }
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet", "centerface"])
  }
}
