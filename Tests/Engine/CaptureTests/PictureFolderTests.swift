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
      let entries = try PictureFolder.pictures(below: path).entries
      #expect(entries.map(\.place) == places)
      #expect(entries.map(\.path) == places.map { "\(folder.path)/\($0)" })
      #expect(entries.allSatisfy { $0.failure == nil })
    }
    let all = try PictureFolder.pictures(below: folder.path, isOfAnyKind: true).entries.map(\.place)
    #expect(
      all == [
        "a.tiff", "b.jpg", "c/a.HEIC", "c/d/e.gif", "c/raw", "c/z.png", "d.bmp", "e.jpg", "jpg", "notes.txt",
      ])
  }

  @Test func otherNamesAreTakenByTheirContents() throws {
    let folder = try TemporaryFolder()
    let names = ["a.jfif", "b.HIF", "c", "d.JPG_large", "e.v1/f", "sub/g.dib"]
    for name in names { try folder.write(name, try Fixture.image("quarters.jpg")) }
    for name in ["list", "data.bin", "empty", "notes.txt"] { try folder.write(name, "no picture".utf8) }
    try folder.write("recording.mjpeg", try Fixture.image("quarters.jpg"))
    try folder.write(".hidden.jpg", try Fixture.image("quarters.jpg"))
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("round"), withDestinationPath: folder.path)
    let found = try PictureFolder.pictures(below: folder.path)
    #expect(found.entries.map(\.place) == names)
    #expect(
      found.skipped.text == "skipped 6 files that are no pictures, 1 hidden entry, 1 link to a folder")
    let top = try PictureFolder.pictures(in: folder.path)
    #expect(top.entries.map(\.path) == names.prefix(4).map { folder.path($0) })
    #expect(
      top.skipped.text == "skipped 6 files that are no pictures, 1 hidden entry, 3 folders")
  }

  @Test func emptyAndMissingFoldersAreNotFound() throws {
    let folder = try TemporaryFolder()
    try folder.write("notes.txt", "a".utf8)
    let path = folder.path
    expectFailure(.notFound, path) { try PictureFolder.pictures(in: path) }
    let none = failure { () throws(Status) in _ = try PictureFolder.pictures(below: path) }
    #expect(none?.code == .notFound && none?.message.contains(path) == false)
    let missing = failure { () throws(Status) in _ = try PictureFolder.pictures(below: path + "/none") }
    #expect(missing?.code == .notFound && missing?.message.contains(path) == false)
  }
}
