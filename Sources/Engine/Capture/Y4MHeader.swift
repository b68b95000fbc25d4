public import FaceCore

/// The first line of a Y4M stream. Source: mjpegtools, yuv4mpeg(5), "stream headers".
public struct Y4MHeader: Equatable, Sendable {
  public var layout: PixelLayout
  /// The frame rate; `nil` if the stream says that it is unknown.
  public var rate: FrameRate?
  /// The shape of the pixels; `nil` if they are squares, or the stream does not know.
  public var shape: PixelShape?

  /// The first bytes of every Y4M stream.
  public static let signature: StaticString = "YUV4MPEG2"

  /// The supported chroma samplings. The variants of 4:2:0 differ in the position of the chroma samples,
  /// which makes no difference to a face.
  private static let samplings: [String: PixelFormat] = [
    "420jpeg": .i420, "420mpeg2": .i420, "420paldv": .i420, "420": .i420, "mono": .gray,
  ]

  /// Parses a header without its line feed. Throws `invalidArgument`, naming the field, for a malformed
  /// header, and `outOfRange` for a size that the engine does not support.
  ///
  /// The default sampling is 4:2:0. Y4M does not define the colour space: as in video players it is BT.601,
  /// with the range given by ffmpeg's field XCOLORRANGE, by default video range.
  public init(_ line: [UInt8]) throws(Status) {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Y4MHeader.malformed("is not text")
    }
    var fields = text.split(separator: " ", omittingEmptySubsequences: true)[...]
    guard let signature = fields.popFirst(), signature == "\(Y4MHeader.signature)" else {
      throw Status(
        .invalidArgument,
        "the stream is not Y4M: it does not begin with \(Y4MHeader.signature); pipe it through ffmpeg -i … -f "
          + "yuv4mpegpipe -, or describe raw pixels with --raw")
    }
    var found: [Character: Substring] = [:]
    var isFull = false
    for field in fields {
      guard let name = field.first else { continue }
      let value = field.dropFirst()
      if name == "X" {
        // Extensions: any number is allowed.
        if value == "COLORRANGE=FULL" { isFull = true }
        continue
      }
      guard found.updateValue(value, forKey: name) == nil else {
        throw Y4MHeader.malformed("has the field \(name) twice")
      }
    }
    let width = try Y4MHeader.side(found.removeValue(forKey: "W"), "W")
    let height = try Y4MHeader.side(found.removeValue(forKey: "H"), "H")
    rate = try Y4MHeader.rate(found.removeValue(forKey: "F"))
    let sampling = found.removeValue(forKey: "C").map(String.init) ?? "420jpeg"
    guard let format = Y4MHeader.samplings[sampling] else {
      throw Status(
        .invalidArgument,
        "the Y4M stream's pixels are C\(sampling); C420jpeg, C420mpeg2, C420paldv, C420 and Cmono are supported: give "
          + "ffmpeg -pix_fmt yuv420p")
    }
    // Interlacing makes no difference to a face.
    if let interlacing = found.removeValue(forKey: "I"), !["?", "p", "t", "b", "m"].contains(interlacing) {
      throw Y4MHeader.malformed("has the interlacing I\(interlacing)")
    }
    if let aspect = found.removeValue(forKey: "A") {
      guard let (width, height) = Y4MHeader.fraction(aspect) else {
        throw Y4MHeader.malformed("has the pixel shape A\(aspect)")
      }
      shape = PixelShape(width, height)
    }
    if let other = found.keys.min() { throw Y4MHeader.malformed("has an unknown field \(other)") }
    layout = PixelLayout(
      format: format, width: width, height: height, colour: isFull ? .bt601Full : .bt601Video)
    try layout.validate()
  }

  private static func side(_ value: Substring?, _ name: Character) throws(Status) -> Int {
    guard let value else { throw malformed("has no field \(name)") }
    guard let side = number(value), side > 0 else { throw malformed("has the size \(name)\(value)") }
    return Int(side)
  }

  private static func rate(_ value: Substring?) throws(Status) -> FrameRate? {
    guard let value else { return nil }
    guard let (numerator, denominator) = fraction(value), (numerator == 0) == (denominator == 0) else {
      throw malformed("has the rate F\(value)")
    }
    return FrameRate(numerator, denominator)
  }

  private static func fraction(_ text: Substring) -> (UInt32, UInt32)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = number(parts[0]), let denominator = number(parts[1]) else {
      return nil
    }
    return (numerator, denominator)
  }

  /// Parses a number of digits only: no sign, no space.
  private static func number(_ text: Substring) -> UInt32? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(text) : nil
  }

  private static func malformed(_ what: String) -> Status {
    Status(.invalidArgument, "the header of the Y4M stream \(what); give W, H, F and C as yuv4mpeg(5) says")
  }
}
