import CPosixShims
public import FaceCore
import Glibc

/// Questions about paths.
public enum FileSystem {
  /// Whether something readable is at `path`. access(2)
  public static func isReadable(_ path: String) -> Bool {
    access(path, R_OK) == 0
  }

  /// Whether `path` is a folder. stat(2)
  public static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether `path` is a device that hands out bytes, as a camera is. stat(2)
  public static func isCharacterDevice(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR
  }

  /// Names in the folder at `path`, sorted, without "." and "..". opendir(3), readdir(3)
  public static func names(in path: String) throws(Status) -> [String] {
    guard let folder = opendir(path) else {
      throw SystemError(call: "opendir", code: errno).status("cannot list \(path)")
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The path with every link resolved; `nil` when there is nothing at it. realpath(3)
  public static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
