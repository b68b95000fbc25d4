import ArgumentParser
import Capture
import FaceCore
import Posix

/// The pictures of a command: files, folders, standard input, and lists of them.
struct PictureListArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also read names of files and folders from this file, one per line (LF or CR LF); - for standard input, as in find … | face-engine … --files-from -",
      valueName: "file"), completion: .file())
  var filesFrom: String?

  @Flag(
    name: [.long, .customShort("0")],
    help: "Names in --files-from end with a NUL byte instead of a newline, as find -print0 writes them.")
  var null = false

  @Option(
    help: ArgumentHelp(
      "Pictures to process at the same time, 1 to 256. (default: processors divided by --threads-per-frame, at most 16)",
      valueName: "number"))
  var jobs: Int?

  @Argument(
    help: ArgumentHelp(
      "Image files, folders, or - for a picture on standard input. A folder stands for all pictures in it and below it, in order of their names. In folders, hidden files are skipped; so are files whose extension and first bytes are not those of a picture, unless --raw is given. The run ends with a count of skipped files.",
      valueName: "images"), completion: .file())
  var names: [String] = []

  func validate() throws {
    guard !names.isEmpty || filesFrom != nil else { throw ValidationError("Name at least one image.") }
    guard names.count(where: { $0 == "-" }) + (filesFrom == "-" ? 1 : 0) <= 1 else {
      throw ValidationError("Standard input can be read only once; give - in one place.")
    }
    guard !null || filesFrom != nil else {
      throw ValidationError("--null applies to the list of --files-from; give both.")
    }
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs \(jobs) must be a number from 1 to 256.")
    }
  }

  /// The number of pictures that are processed at the same time.
  func jobCount(threadsPerFrame: Int) -> Int {
    jobs ?? max(1, min(16, CurrentProcess.processorCount / threadsPerFrame))
  }

  /// Whether there can be more than one picture.
  var mayBeSeveral: Bool {
    filesFrom != nil || names.count != 1 || FileSystem.isDirectory(names[0])
  }

  /// The pictures in their order. Throws if the list cannot be read.
  /// - Parameter isRaw: whether the files are raw pixels, whose names and contents may be any.
  func pictures(isRaw: Bool) throws(Status) -> PictureList {
    var list = PictureList(isRaw: isRaw)
    for name in names {
      if name == "-" { list.pictures.append(.standardInput) } else { list.add(name, isRaw: isRaw) }
    }
    if let filesFrom {
      for name in try listed(in: filesFrom) { list.add(name, isRaw: isRaw) }
    }
    return list
  }

  private static let maxListBytes = 1 << 30

  private func listed(in file: String) throws(Status) -> [String] {
    let bytes =
      try file == "-"
      ? StandardInput.readAll(limit: Self.maxListBytes) : File.read(file, limit: Self.maxListBytes)
    return try NameList.names(in: bytes, endWithNUL: null)
  }
}

/// The pictures of a command, and what its folders have besides.
struct PictureList: Sendable {
  /// Whether the files are raw pixels.
  let isRaw: Bool
  var pictures: [NamedPicture] = []
  var skipped = SkippedEntries()

  var paths: [String] { pictures.compactMap(\.path) }

  /// Adds a file, or the pictures of a folder and those below it.
  mutating func add(_ path: String, isRaw: Bool) {
    guard FileSystem.isDirectory(path) else { return pictures.append(NamedPicture(file: path)) }
    do throws(Status) {
      let folder = try PictureFolder.pictures(below: path, isOfAnyKind: isRaw)
      skipped += folder.skipped
      pictures += folder.entries.map { entry in
        NamedPicture(
          name: entry.path, place: entry.place, source: entry.failure.map { .none($0) } ?? .file(entry.path))
      }
    } catch {
      pictures.append(NamedPicture(name: path, place: path.lastPart, source: .none(error)))
    }
  }
}

/// A picture for a command to read.
struct NamedPicture: Sendable {
  enum Source: Sendable {
    case file(String)
    case standardInput
    /// There is no picture; the status says why.
    case none(Status)
  }

  /// The printed name: the path, or "-" for standard input.
  let name: String
  /// The path below the folder that was named, as in "summer/beach.jpg"; for a file that was named itself,
  /// the last part of its path.
  let place: String
  let source: Source

  static let standardInput = NamedPicture(name: "-", place: "standard-input", source: .standardInput)

  init(name: String, place: String, source: Source) {
    (self.name, self.place, self.source) = (name, place, source)
  }

  init(file path: String) {
    self.init(name: path, place: path.lastPart, source: .file(path))
  }

  var path: String? { if case .file(let path) = source { path } else { nil } }

  /// The name for people.
  var title: String { name == "-" ? "standard input" : name }

  /// Reads the bytes. Error messages do not name the picture.
  func read() throws(Status) -> [UInt8] {
    switch source {
    case .file(let path): try ImageFile.read(path, calledInErrors: "the file")
    case .standardInput: try StandardInput.readAll(limit: ImageFile.maxBytes)
    case .none(let status): throw status
    }
  }
}

extension String {
  /// The part after the last slash; slashes at the end are ignored.
  var lastPart: String {
    // By bytes: a letter that combines with the slash before it belongs to the name.
    utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? "image"
  }
}
