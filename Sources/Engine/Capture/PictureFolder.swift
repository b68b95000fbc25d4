public import FaceCore
import Posix

/// Lists the picture files of a folder: those whose names end as pictures' do, without hidden ones.
public enum PictureFolder {
  /// In lower case; names may have them in any.
  private static let endings: Set<String> = [
    "jpg", "jpeg", "jpe", "png", "webp", "heic", "heif", "avif", "tif", "tiff", "bmp", "gif",
  ]

  /// A file of a folder, or a folder in it that could not be listed.
  public struct Entry: Equatable, Sendable {
    public var path: String
    /// Below the folder that was asked for, as in "summer/beach.jpg".
    public var place: String
    /// Why the folder at `path` could not be listed; `nil` for a file.
    public var failure: Status?
  }

  /// The paths of the pictures in `folder` itself, sorted by the bytes of their names. Throws `notFound` if there are none.
  public static func paths(in folder: String) throws(Status) -> [String] {
    let base = slashed(folder)
    let paths = try FileSystem.names(in: folder).filter(isPicture).map { base + $0 }
    guard !paths.isEmpty else { throw none(in: folder) }
    return paths
  }

  /// The pictures in `folder` and in the folders below it: in each the entries by the bytes of their names, a folder's own
  /// in its place. Links to folders are not followed, so that it ends.
  ///
  /// Throws where `folder` cannot be listed, and `notFound` where there is nothing below it. Errors do not name it.
  /// - Parameter isOfAnyKind: whether files whose names do not end as pictures' do are taken as well.
  public static func entries(below folder: String, isOfAnyKind: Bool = false) throws(Status) -> [Entry] {
    var found: [Entry] = []
    // Those still to be looked at; the last is next.
    var open = try children(of: Entry(path: folder, place: ""))
    while let entry = open.popLast() {
      if FileSystem.isDirectory(entry.path) {
        guard !FileSystem.isLink(entry.path) else { continue }
        do throws(Status) {
          open += try children(of: entry)
        } catch {
          found.append(Entry(path: entry.path, place: entry.place, failure: error))
        }
      } else if isOfAnyKind || isPicture(entry.place) {
        found.append(entry)
      }
    }
    guard !found.isEmpty else { throw none(in: "the folder") }
    return found
  }

  /// The last one first.
  private static func children(of folder: Entry) throws(Status) -> [Entry] {
    let (base, place) = (slashed(folder.path), folder.place.isEmpty ? "" : folder.place + "/")
    return try FileSystem.names(in: folder.path, calledInErrors: "the folder").filter { !$0.hasPrefix(".") }
      .reversed().map { name in
        Entry(path: base + name, place: place + name)
      }
  }

  private static func isPicture(_ name: String) -> Bool {
    guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
    return endings.contains(name[name.index(after: dot)...].lowercased())
  }

  private static func slashed(_ folder: String) -> String {
    folder.hasSuffix("/") ? folder : folder + "/"
  }

  private static func none(in folder: String) -> Status {
    Status(
      .notFound,
      "\(folder) has no pictures; their names must end in .jpg, .jpeg, .png, .webp, .heic, .avif, .tiff, .bmp or .gif"
    )
  }
}
