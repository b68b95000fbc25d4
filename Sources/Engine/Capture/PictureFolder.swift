public import FaceCore
import Posix

/// Lists the picture files of a folder, chosen by their file name extensions. Hidden files are left out.
public enum PictureFolder {
  /// File name extensions in lower case; names may have them in any case.
  private static let endings: Set<String> = [
    "jpg", "jpeg", "jpe", "png", "webp", "heic", "heif", "avif", "tif", "tiff", "bmp", "gif",
  ]

  /// A picture file, or a folder that could not be listed.
  public struct Entry: Equatable, Sendable {
    public var path: String
    /// The path relative to the folder that was asked for, as in "summer/beach.jpg".
    public var place: String
    /// Why the folder at `path` could not be listed; `nil` for a file.
    public var failure: Status?
  }

  /// The paths of the pictures in `folder` itself, sorted by the bytes of their names. Throws `notFound` if
  /// there are none.
  public static func paths(in folder: String) throws(Status) -> [String] {
    let base = slashed(folder)
    let paths = try FileSystem.names(in: folder).filter(isPicture).map { base + $0 }
    guard !paths.isEmpty else { throw none(in: folder) }
    return paths
  }

  /// Lists the pictures in `folder` and in the folders below it. The entries of each folder are sorted by the
  /// bytes of their names, and a subfolder's entries stand in its place. Links to folders are not followed,
  /// so that the listing ends.
  ///
  /// Throws if `folder` cannot be listed, and `notFound` if it has no pictures. Error messages do not name
  /// it.
  /// - Parameter isOfAnyKind: whether files without a picture's extension are listed as well.
  public static func entries(below folder: String, isOfAnyKind: Bool = false) throws(Status) -> [Entry] {
    var found: [Entry] = []
    // Entries still to be visited; the last one is next.
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

  /// Returns the entries of `folder` in reverse order.
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
