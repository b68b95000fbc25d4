/// A profile of one colour space, with a text. Sources: ICC.1:2022, 7.2 "Profile header", 7.3 "Tag table" and 10.24
/// "textType".
public enum ICCProfile {
  public static let rgb = bytes("RGB ")

  public static func bytes(_ space: String) -> [UInt8] {
    // As long when it is compressed: libpng reads no profile that has less than 92 bytes in the file.
    let text = Array("text".utf8) + [0, 0, 0, 0] + Array(0x20...0x7E) + [0]
    let size = UInt8(144 + text.count)
    var profile = [UInt8](repeating: 0, count: 144) + text
    for (place, value) in [
      (0, [0, 0, 0, size]), (8, [2, 0x40, 0, 0]), (12, Array("mntr".utf8)), (16, Array(space.utf8)),
      (20, Array("XYZ ".utf8)), (36, Array("acsp".utf8)),
      (68, [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]),
      (128, [0, 0, 0, 1]), (132, Array("cprt".utf8)), (136, [0, 0, 0, 144, 0, 0, 0, UInt8(text.count)]),
    ] {
      profile.replaceSubrange(place..<place + value.count, with: value)
    }
    return profile
  }

  /// A JPEG file with the profile, and 200 × 100 pixels per inch. Source: ICC.1:2022, B.4 "Embedding ICC profiles in
  /// JPEG files"; JFIF 1.02.
  public static func adding(_ profile: [UInt8], toJPEG file: [UInt8]) -> [UInt8] {
    let header: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 1, 0, 200, 0, 100, 0, 0]
    let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
    let size = content.count + 2
    let hasHeader = file[2..<4] == [0xFF, 0xE0]
    let rest = hasHeader ? 4 + Int(file[4]) << 8 + Int(file[5]) : 2
    return file[..<2] + header + [0xFF, 0xE2, UInt8(size >> 8), UInt8(size & 0xFF)] + content + file[rest...]
  }
}
