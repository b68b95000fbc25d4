import Capture
import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct PictureFolderTests {
  @Test func subfoldersAreListedInOrderOfTheirNames() throws {
    let folder = try TemporaryFolder()
    for name in [
      "b.jpg", "c/a.HEIC", "c/d/e.gif", "c/z.png", "a.tiff", "d.bmp", "notes.txt", ".h.jpg", ".git/x.jpg",
      "jpg",
      "c/raw",
    ] {
      try folder.write(name, name.utf8)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("c/round"), withDestinationPath: folder.path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("e.jpg"), withDestinationPath: folder.path("b.jpg"))
    let places = ["a.tiff", "b.jpg", "c/a.HEIC", "c/d/e.gif", "c/z.png", "d.bmp", "e.jpg"]
    for path in [folder.path, folder.path + "/"] {
      let entries = try PictureFolder.entries(below: path)
      #expect(entries.map(\.place) == places)
      #expect(entries.map(\.path) == places.map { "\(folder.path)/\($0)" })
      #expect(entries.allSatisfy { $0.failure == nil })
    }
    let all = try PictureFolder.entries(below: folder.path, isOfAnyKind: true).map(\.place)
    #expect(
      all == [
        "a.tiff", "b.jpg", "c/a.HEIC", "c/d/e.gif", "c/raw", "c/z.png", "d.bmp", "e.jpg", "jpg", "notes.txt",
      ])
  }

  @Test func emptyAndMissingFoldersAreNotFound() throws {
    let folder = try TemporaryFolder()
    try folder.write("notes.txt", "a".utf8)
    let path = folder.path
    let none = failure { () throws(Status) in _ = try PictureFolder.entries(below: path) }
    #expect(none?.code == .notFound && none?.message.contains(path) == false)
    let missing = failure { () throws(Status) in _ = try PictureFolder.entries(below: path + "/none") }
    #expect(missing?.code == .notFound && missing?.message.contains(path) == false)
  }
}
