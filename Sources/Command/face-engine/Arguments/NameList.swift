import FaceCore

/// The names in the file of --files-from.
enum NameList {
  /// Throws `invalidArgument` for a list that is plainly of another kind.
  /// - Parameter endWithNUL: whether each name ends with a NUL; otherwise with a line feed, which a carriage return
  ///   may precede.
  static func names(in list: [UInt8], endWithNUL: Bool) throws(Status) -> [String] {
    let lineFeed = UInt8(ascii: "\n")
    if endWithNUL {
      guard list.contains(0) || list.last != lineFeed else {
        throw Status(.invalidArgument, "the list of --files-from has lines and no NUL; leave out -0")
      }
      return list.split(separator: 0).map(String.init(path:))
    }
    guard !list.starts(with: [0xFF, 0xFE]), !list.starts(with: [0xFE, 0xFF]) else {
      throw Status(
        .invalidArgument, "the list of --files-from is UTF-16; convert it: iconv -f UTF-16 -t UTF-8")
    }
    guard !list.contains(0) else {
      throw Status(
        .invalidArgument,
        "the list of --files-from has NUL bytes; add -0 for names that end with a NUL, as find -print0 writes them"
      )
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return list.dropFirst(list.starts(with: mark) ? mark.count : 0).split(separator: lineFeed)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
      .map(String.init(path:))
  }
}
