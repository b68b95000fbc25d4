import ArgumentParser
import FaceCore
import Posix

/// Where the pictures that a command makes are saved: in one file, or in a folder.
struct PictureTargets: Sendable {
  private let target: String
  private let isFolder: Bool
  /// Of each input, in the folder and without an ending.
  private let stems: [String]

  /// - Parameters:
  ///   - target: a file for one picture, else a folder, which may also be given for one; "-" for standard output.
  ///   - option: its name on the command line.
  init(_ target: String, option: String, for pictures: [NamedPicture], needsFolder: Bool) throws {
    (self.target, isFolder) = (target, FileSystem.isDirectory(target))
    guard isFolder || !needsFolder else {
      throw ValidationError(
        "\(option) \(target) must be an existing folder when there are several images; make it with mkdir.")
    }
    guard isFolder else {
      stems = pictures.map { _ in "" }
      return
    }
    // beach.jpg and beach.png beside each other keep their endings.
    let short = pictures.map { PictureTargets.withoutEnding($0.place) }
    let counts = Dictionary(short.map { ($0, 1) }, uniquingKeysWith: +)
    stems = zip(pictures, short).map { counts[$1] == 1 ? $1 : $0.place }
    guard Set(stems).count == stems.count else {
      throw ValidationError(
        "Two images would be saved under one name in \(target); name them in two calls.")
    }
  }

  /// The path for what is made of a picture, in a folder that there is.
  /// - Parameter kind: what is saved, as in "faces": a part of the name in a folder.
  func path(_ index: Int, _ kind: String) throws(Status) -> String {
    if target == "-" { return "/dev/stdout" }
    guard isFolder else { return target }
    let path = "\(target)/\(stems[index]).\(kind).png"
    if let end = path.lastIndex(of: "/") { try FileSystem.createFolder(String(path[..<end])) }
    return path
  }

  private static func withoutEnding(_ place: String) -> String {
    guard let dot = place.lastIndex(of: "."), !place[dot...].contains("/") else { return place }
    return String(place[..<dot])
  }
}
