import ArgumentParser
import FaceCore
import Posix
import Rendering

/// The targets for the pictures that a command makes: one file, or files in a folder.
struct PictureTargets: Sendable {
  private let target: String
  private let isFolder: Bool
  /// The names of the inputs in the folder, without extension.
  private let stems: [String]

  /// - Parameters:
  ///   - target: a file for one picture, or a folder for one or several; "-" for standard output.
  ///   - option: the option's name on the command line.
  init(_ target: String, option: String, for pictures: [NamedPicture], needsFolder: Bool) throws {
    (self.target, isFolder) = (target, FileSystem.isDirectory(target))
    guard isFolder || !needsFolder else {
      throw ValidationError(
        "\(option) \(target) must be an existing folder when there are several images; make it with mkdir.")
    }
    guard isFolder else {
      stems = pictures.map { _ in "" }
      try PictureTargets.checkName(target, option)
      return
    }
    // If there are beach.jpg and beach.png, both keep their extensions.
    let short = pictures.map { PictureTargets.withoutEnding($0.place) }
    // By bytes: as texts, an accent that is a letter of its own makes no difference.
    let counts = Dictionary(short.map { (Array($0.utf8), 1) }, uniquingKeysWith: +)
    stems = zip(pictures, short).map { counts[Array($1.utf8)] == 1 ? $1 : $0.place }
    guard Set(stems.map { Array($0.utf8) }).count == stems.count else {
      throw ValidationError(
        "Two images would be saved under the same name in \(target); save them in separate calls.")
    }
  }

  /// The path for the picture made from an input, a PNG in a folder; makes its folder if necessary.
  /// - Parameter kind: the kind of picture, as in "faces": part of the name in a folder.
  func path(_ index: Int, _ kind: String) throws(Status) -> String {
    if target == "-" { return "/dev/stdout" }
    guard isFolder else { return target }
    let path = "\(target)/\(stems[index]).\(kind).png"
    if let end = path.lastSlash { try FileSystem.createFolder(String(path[..<end])) }
    return path
  }

  /// Throws a `ValidationError` unless a picture can be saved under this name.
  static func checkName(_ target: String?, _ option: String) throws {
    guard let target, target != "-" else { return }
    do {
      _ = try PictureFormat(ofFile: target)
    } catch {
      throw ValidationError("\(option) \(error.message).")
    }
  }

  private static func withoutEnding(_ place: String) -> String {
    guard let dot = place.lastIndex(of: "."), !place[dot...].contains("/") else { return place }
    return String(place[..<dot])
  }
}
