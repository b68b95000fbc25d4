/// Paths as texts. To Linux a name is bytes, which need not be UTF-8; a `String` would lose the others.
///
/// In the text of a path, each byte that is not UTF-8 is a character of its own: U+EF00 plus the byte, which is in
/// the private use area. A character of that range in a name is three such bytes. So every name has a text of its
/// own, from which it can be recovered. Posix takes and returns such texts.
/// Source of the range: MirBSD, OPTU-8.
extension String {
  private static let escaped: ClosedRange<UInt32> = 0xEF80...0xEFFF

  /// The text of a path that the system or a caller gave.
  public init(path bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self), !text.hasEscapedBytes {
      self = text
      return
    }
    var text = ""
    var rest = Array(bytes)[...]
    while let byte = rest.first {
      let character = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      if let character, !character.hasEscapedBytes {
        text += character
        rest = rest.dropFirst(character.utf8.count)
      } else {
        if let scalar = Unicode.Scalar(0xEF00 + UInt32(byte)) { text.unicodeScalars.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    self = text
  }

  /// The text of a path in a C string.
  public init(path bytes: UnsafePointer<CChar>) {
    var count = 0
    while bytes[count] != 0 { count += 1 }
    self.init(path: UnsafeBufferPointer(start: bytes, count: count).map(UInt8.init(bitPattern:)))
  }

  /// The bytes of a path, or of a text with paths in it.
  public var pathBytes: [UInt8] {
    guard hasEscapedBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      Self.escaped.contains(scalar.value)
        ? [UInt8(scalar.value & 0xFF)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// The bytes of a path, with a NUL behind them.
  public var cPath: [CChar] { pathBytes.map(CChar.init(bitPattern:)) + [0] }

  /// Where the last slash of a path is. By bytes: to `lastIndex(of:)`, a slash before a combining letter is another
  /// character.
  public var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

  private var hasEscapedBytes: Bool {
    // The first byte of each such character in UTF-8.
    utf8.contains(0xEE) && unicodeScalars.contains { Self.escaped.contains($0.value) }
  }
}
