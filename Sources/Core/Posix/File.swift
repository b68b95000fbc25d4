import CPosixShims
public import FaceCore
import Glibc

/// Reads and writes whole files.
public enum File {
  /// Returns the bytes of the file at `path`.
  ///
  /// Throws `notFound`, `permissionDenied`, `invalidArgument` if it is not a regular file and `outOfRange` if
  /// it is larger than `limit` bytes; the message contains the path, or `name` instead. open(2), fstat(2),
  /// read(2)
  public static func read(_ path: String, limit: Int, calledInErrors name: String? = nil) throws(Status)
    -> [UInt8]
  {
    let name = name ?? path
    // Non-blocking, so that opening a named pipe does not wait; it is rejected below.
    let file = Descriptor(
      owning: try system("open", "cannot open \(name)") {
        face_posix_open(path.cPath, O_RDONLY | O_NONBLOCK, 0)
      })
    var information = stat()
    _ = try system("fstat", "cannot read \(name)") { [raw = file.raw] in fstat(raw, &information) }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw Status(.invalidArgument, "\(name) is not a regular file; give the path of a file")
    }
    guard information.st_size <= limit else { throw tooLarge(name, Int(information.st_size), limit) }

    // Room for the buffer, and for one of twice its size while it grows.
    try HeapMemory.require(3 * Int(information.st_size), to: "read \(name)")
    var bytes: [UInt8] = []
    // One byte more than the size, so that the end is seen without growing.
    var room = information.st_size + 1
    while true {
      var failure: SystemError?
      let before = bytes.count
      bytes.append(addingCapacity: room) { output in
        output.withUnsafeMutableBufferPointer { buffer, count in
          do throws(SystemError) {
            count = try system("read") { [raw = file.raw] in
              Glibc.read(raw, buffer.baseAddress, buffer.count)
            }
          } catch {
            failure = error
          }
        }
      }
      if let failure { throw failure.status("cannot read \(name)") }
      if bytes.count == before { return bytes }
      guard bytes.count <= limit else { throw tooLarge(name, bytes.count, limit) }
      room = max(bytes.capacity - bytes.count, 4096)
    }
  }

  /// Returns the first bytes of a regular file, at most `limit`; `nil` for anything else, which is not opened, and
  /// for a file that cannot be read. stat(2), open(2), read(2)
  public static func beginning(of path: String, limit: Int) -> [UInt8]? {
    guard FileSystem.isFile(path) else { return nil }
    let raw = face_posix_open(path.cPath, O_RDONLY | O_NONBLOCK, 0)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    return Array(unsafeUninitializedCapacity: limit) { bytes, count in
      count = max(0, Glibc.read(file.raw, bytes.baseAddress, limit))
    }
  }

  private static func tooLarge(_ path: String, _ size: Int, _ limit: Int) -> Status {
    Status(
      .outOfRange, "\(path) has \(size) bytes, more than the limit of \(limit); give a smaller file")
  }

  /// Writes `bytes` to `path`, replacing the file there: readers see the old one or the new one, never a
  /// part.
  ///
  /// A link is followed; a pipe or device is written to directly. The folder must exist. open(2), write(2),
  /// fsync(2), rename(2)
  public static func writeAtomically(
    _ path: String, _ bytes: UnsafeRawBufferPointer, mode: UInt32 = 0o644
  ) throws(Status) {
    let path = FileSystem.resolved(path) ?? path
    var information = stat()
    if stat(path.cPath, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      return try write(bytes, to: path)
    }
    let temporary = "\(path).\(getpid()).\(MonotonicTime.now().nanoseconds)"
    do {
      let file = Descriptor(
        owning: try system("open") {
          face_posix_open(temporary.cPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
        })
      try write(bytes, to: file)
      _ = try system("fsync") { [raw = file.raw] in fsync(raw) }
      _ = try system("rename") { rename(temporary.cPath, path.cPath) }
    } catch {
      unlink(temporary.cPath)
      throw error.status("cannot write \(path)")
    }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(Status) {
    do {
      let target = Descriptor(
        owning: try system("open") { face_posix_open(path.cPath, O_WRONLY, 0) })
      try write(bytes, to: target)
    } catch {
      throw error.status("cannot write \(path)")
    }
  }

  static func write(
    _ bytes: UnsafeRawBufferPointer, to file: borrowing Descriptor
  ) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try system("write") { [raw = file.raw] in
        face_posix_write(raw, rest.baseAddress, rest.count)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }
}

/// Answers questions about paths.
public enum FileSystem {
  /// The bytes of a file; `nil` if it cannot be found. stat(2)
  public static func size(of path: String) -> Int? {
    var information = stat()
    return stat(path.cPath, &information) == 0 ? Int(information.st_size) : nil
  }

  /// Returns whether something readable is at `path`. access(2)
  public static func isReadable(_ path: String) -> Bool {
    access(path.cPath, R_OK) == 0
  }

  /// Returns whether something is at `path`, links followed. Throws if that is unknown, as below a folder that
  /// this process may not search. stat(2)
  public static func isThere(_ path: String) throws(Status) -> Bool {
    var information = stat()
    do throws(Status) {
      _ = try system("stat", "cannot look for \(path)") { stat(path.cPath, &information) }
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
    return true
  }

  /// Returns whether `path` is a file that may be run. access(2), stat(2)
  public static func isProgram(_ path: String) -> Bool {
    access(path.cPath, X_OK) == 0 && kind(of: path) == .file
  }

  /// Returns whether `path` is a regular file. stat(2)
  public static func isFile(_ path: String) -> Bool { kind(of: path) == .file }

  /// Returns whether `path` is a folder. stat(2)
  public static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path.cPath, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether `path` is a socket, or a link to one. stat(2)
  static func isSocket(_ path: String) -> Bool {
    var information = stat()
    return stat(path.cPath, &information) == 0 && information.st_mode & S_IFMT == S_IFSOCK
  }

  /// Returns the group, other than root's, whose members may write to `path` though not everybody may; `nil` if
  /// there is none. stat(2)
  static func groupThatMayWrite(_ path: String) -> String? {
    var information = stat()
    guard stat(path.cPath, &information) == 0, information.st_gid != 0,
      information.st_mode & (S_IWGRP | S_IWOTH) == S_IWGRP
    else { return nil }
    return Account.groupName(information.st_gid)
  }

  /// Returns the kind of what is at a path where a socket should be, as a word for a message; `nil` for a
  /// socket, and where there is nothing. stat(2)
  public static func kindWhereNoSocket(is path: SocketPath) -> String? {
    var information = stat()
    guard stat(path.description.cPath, &information) == 0 else { return nil }
    switch information.st_mode & S_IFMT {
    case S_IFDIR: return "folder"
    case S_IFREG: return "file"
    default: return nil
    }
  }

  enum Kind {
    case folder, file, other
  }

  /// Returns `nil` where there is nothing. stat(2)
  static func kind(of path: String) -> Kind? {
    var information = stat()
    guard stat(path.cPath, &information) == 0 else { return nil }
    switch information.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG: return .file
    default: return .other
    }
  }

  /// Returns the user to whom root gave the folder that contains `path`, links followed: the folder's owner,
  /// if only the owner can change it, and every folder above it is root's and cannot be changed by others.
  /// `nil` for other folders, and if there is none. realpath(3), stat(2)
  public static func designatedOwner(ofFolderWith path: String) -> UInt32? {
    guard let file = resolved(path), let slash = file.lastSlash, slash != file.startIndex else {
      return nil
    }
    var information = stat()
    var folder = String(file[..<slash])
    guard stat(folder.cPath, &information) == 0, information.st_mode & 0o022 == 0 else { return nil }
    let owner = information.st_uid
    while folder != "/" {
      let end = folder.lastSlash ?? folder.startIndex
      folder = end == folder.startIndex ? "/" : String(folder[..<end])
      guard stat(folder.cPath, &information) == 0, information.st_uid == 0, information.st_mode & 0o022 == 0
      else {
        return nil
      }
    }
    return owner
  }

  /// Returns whether `path` is a character device, such as a camera. stat(2)
  public static func isCharacterDevice(_ path: String) -> Bool {
    var information = stat()
    return stat(path.cPath, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR
  }

  /// Returns whether `path` is a symbolic link, wherever it leads. lstat(2)
  public static func isLink(_ path: String) -> Bool {
    var information = stat()
    return lstat(path.cPath, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
  }

  /// Creates the folder at `path` and those above it if they do not exist. mkdir(2)
  public static func createFolder(_ path: String) throws(Status) {
    if isDirectory(path) { return }
    if let end = path.lastSlash, end != path.startIndex { try createFolder(String(path[..<end])) }
    do throws(SystemError) {
      _ = try system("mkdir") { mkdir(path.cPath, 0o777) }
    } catch {
      // Another process may just have created it.
      guard error.code == EEXIST, isDirectory(path) else {
        throw error.status("cannot make the folder \(path)")
      }
    }
  }

  /// Returns the names in the folder at `path`, sorted by their bytes, without "." and "..". opendir(3), readdir(3)
  /// - Parameter name: used in errors instead of the path.
  public static func names(in path: String, calledInErrors name: String? = nil) throws(Status) -> [String] {
    guard let folder = face_posix_list_folder(path.cPath) else {
      throw SystemError(call: "opendir", code: errno).status("cannot list \(name ?? path)")
    }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
    }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names.map(String.init(path:)).filter { $0 != "." && $0 != ".." }
  }

  /// Returns the path with every link resolved; `nil` when nothing is there. realpath(3)
  public static func resolved(_ path: String) -> String? {
    guard let text = realpath(path.cPath, nil) else { return nil }
    defer { free(text) }
    return String(path: text)
  }
}
