/// The layout of a JPEG file: segments of marker, length and data, then the pixels up to the end marker.
/// Source: ITU-T T.81, B.1.1 and B.2.1.
enum JPEGSegments {
  private static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9

  /// The data of the first segment before the pixels that has `marker` and starts with `prefix`.
  static func find(
    _ marker: UInt8, startingWith prefix: some Collection<UInt8>, in file: UnsafeRawBufferPointer
  ) -> Slice<UnsafeRawBufferPointer>? {
    first(in: file) { $0 == marker && $1.starts(with: prefix) }
  }

  /// Whether the end marker follows the pixels, in which 0xFF never stands before it.
  static func hasEnd(_ file: UnsafeRawBufferPointer) -> Bool {
    guard let scan = first(in: file, where: { marker, _ in marker == startOfScan }) else { return false }
    return (scan.endIndex..<max(file.count - 1, scan.endIndex)).contains {
      file[$0] == 0xFF && file[$0 + 1] == endOfImage
    }
  }

  private static func first(
    in file: UnsafeRawBufferPointer,
    where matches: (_ marker: UInt8, _ data: Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Slice<UnsafeRawBufferPointer>? {
    var offset = 2
    // Stray bytes before a marker are stepped over, as libjpeg does; so is 0xFF as filling.
    while let start = file[offset...].firstIndex(of: 0xFF), start + 4 <= file.count {
      let marker = file[start + 1]
      guard marker != 0xFF, marker != 0 else {
        offset = start + 1
        continue
      }
      let length = Int(file[start + 2]) << 8 | Int(file[start + 3])
      let end = start + 2 + length
      guard marker != endOfImage, length >= 2, end <= file.count else { return nil }
      let data = file[start + 4..<end]
      if matches(marker, data) { return data }
      guard marker != startOfScan else { return nil }
      offset = end
    }
    return nil
  }
}
