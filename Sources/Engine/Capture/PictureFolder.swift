public import FaceCore
import Imaging
import Posix

/// The pictures of a folder. Files with a picture's extension are taken by their names, others by their first bytes.
/// Hidden files are left out.
public struct PictureFolder: Sendable {
  /// File name extensions in lower case; names may have them in any case.
  private static let endings: Set<String> = [
    "jpg", "jpeg", "jpe", "png", "webp", "heic", "heif", "avif", "tif", "tiff", "bmp", "gif",
  ]
  /// Extensions of files that are not opened; nor are those of videos, which may begin like a picture.
  private static let otherEndings: Set<String> = [
    "txt", "md", "log", "csv", "json", "xml", "html", "pdf", "zip", "gz", "tar", "mp3", "wav",
  ]
  /// Enough to tell the kind of a picture.
  private static let beginningBytes = 32

  /// A picture file, or a folder that could not be listed.
  public struct Entry: Equatable, Sendable {
    public var path: String
    /// The path relative to the folder that was asked for, as in "summer/beach.jpg".
    public var place: String
    /// Why the folder at `path` could not be listed; `nil` for a file.
    public var failure: Status?
  }

  public private(set) var entries: [Entry] = []
  public private(set) var skipped = SkippedEntries()

  /// Lists the pictures in `folder` itself, sorted by the bytes of their names. Throws `notFound` if there are none.
  public static func pictures(in folder: String) throws(Status) -> PictureFolder {
    var found = PictureFolder()
    for entry in try found.children(of: Entry(path: folder, place: ""), calledInErrors: folder).reversed() {
      if FileSystem.isDirectory(entry.path) { found.skipped.folders += 1 } else { found.add(entry) }
    }
    return try found.unlessEmpty(folder)
  }

  /// Lists the pictures in `folder` and in the folders below it. The entries of each folder are sorted by the
  /// bytes of their names, and a subfolder's entries stand in its place. Links to folders are not followed,
  /// so that the listing ends.
  ///
  /// Throws if `folder` cannot be listed, and `notFound` if it has no pictures. Error messages do not name
  /// it.
  /// - Parameter isOfAnyKind: whether files that are no pictures are listed as well.
  public static func pictures(
    below folder: String, isOfAnyKind: Bool = false
  ) throws(Status) -> PictureFolder {
    var found = PictureFolder()
    // Entries still to be visited; the last one is next.
    var open = try found.children(of: Entry(path: folder, place: ""))
    while let entry = open.popLast() {
      if !FileSystem.isDirectory(entry.path) {
        found.add(entry, isOfAnyKind: isOfAnyKind)
      } else if FileSystem.isLink(entry.path) {
        found.skipped.links += 1
      } else {
        do throws(Status) {
          open += try found.children(of: entry)
        } catch {
          found.entries.append(Entry(path: entry.path, place: entry.place, failure: error))
        }
      }
    }
    return try found.unlessEmpty("the folder")
  }

  /// Returns the entries of `folder` in reverse order, and counts the hidden ones.
  private mutating func children(
    of folder: Entry, calledInErrors name: String = "the folder"
  ) throws(Status) -> [Entry] {
    let base = folder.path.utf8.last == UInt8(ascii: "/") ? folder.path : folder.path + "/"
    let place = folder.place.isEmpty ? "" : folder.place + "/"
    let names = try FileSystem.names(in: folder.path, calledInErrors: name)
    let shown = names.filter { $0.utf8.first != UInt8(ascii: ".") }
    skipped.hidden += names.count - shown.count
    return shown.reversed().map { Entry(path: base + $0, place: place + $0) }
  }

  private mutating func add(_ file: Entry, isOfAnyKind: Bool = false) {
    if isOfAnyKind || PictureFolder.isPicture(file) { entries.append(file) } else { skipped.files += 1 }
  }

  /// Whether a file name has the extension of a picture.
  static func namesPicture(_ path: String) -> Bool { endings.contains(ending(of: path)) }

  private static func ending(of path: String) -> String {
    path.lastIndex(of: ".").map { path[path.index(after: $0)...].lowercased() } ?? ""
  }

  private static func isPicture(_ file: Entry) -> Bool {
    if namesPicture(file.place) { return true }
    if otherEndings.contains(ending(of: file.place)) || VideoFileSource.isVideo(file.place) { return false }
    let beginning = File.beginning(of: file.path, limit: beginningBytes) ?? []
    return beginning.withUnsafeBytes(ImageDecoder.isPicture)
  }

  private func unlessEmpty(_ name: String) throws(Status) -> PictureFolder {
    guard entries.isEmpty else { return self }
    let others = skipped.text.map { " (\($0))" } ?? ""
    throw Status(
      .notFound,
      "\(name) has no pictures: JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP or GIF\(others); name another folder")
  }
}

/// The numbers of entries in folders that are no pictures or were not looked at.
public struct SkippedEntries: Equatable, Sendable {
  public var files = 0
  public var hidden = 0
  public var links = 0
  public var folders = 0

  public init() {}

  public static func += (left: inout SkippedEntries, right: SkippedEntries) {
    left.files += right.files
    left.hidden += right.hidden
    left.links += right.links
    left.folders += right.folders
  }

  /// The numbers for people; `nil` if nothing was skipped.
  public var text: String? {
    let parts = [
      (files, "file that is no picture", "files that are no pictures"),
      (hidden, "hidden entry", "hidden entries"),
      (links, "link to a folder", "links to folders"), (folders, "folder", "folders"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    return parts.isEmpty ? nil : "skipped \(parts.joined(separator: ", "))"
  }
}
