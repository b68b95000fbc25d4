/// A picture whose library works for seconds, and cannot be stopped.
public enum SlowPicture {
  /// A GIF of noise that its library needs seconds for: 9-bit codes of single pixels, and a clear code before
  /// the codes would get longer. Source: GIF89a, appendix F.
  public static let gif: [UInt8] = {
    let side = 4000
    var file = Array("GIF89a".utf8)
    let size = [UInt8(side & 0xFF), UInt8(side >> 8), UInt8(side & 0xFF), UInt8(side >> 8)]
    file += size + [0xF7, 0, 0] + (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
    file += [0x2C, 0, 0, 0, 0] + size + [0, 8]
    var (bits, count): (UInt32, UInt32) = (0, 0)
    var codes: [UInt8] = []
    func add(_ code: UInt32) {
      bits |= code << count
      count += 9
      while count >= 8 {
        codes.append(UInt8(truncatingIfNeeded: bits))
        (bits, count) = (bits >> 8, count - 8)
      }
    }
    var generator = SeededGenerator(seed: 3)
    var pixels = 0
    while pixels < side * side {
      add(256)
      var word = generator.next()
      for index in 0..<min(248, side * side - pixels) {
        if index % 8 == 0 { word = generator.next() }
        add(UInt32(word & 0xFF))
        word >>= 8
        pixels += 1
      }
    }
    add(257)
    codes.append(UInt8(truncatingIfNeeded: bits))
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(codes.count, start + 255)]
      file.append(UInt8(block.count))
      file += block
    }
    return file + [0, 0x3B]
  }()
}
