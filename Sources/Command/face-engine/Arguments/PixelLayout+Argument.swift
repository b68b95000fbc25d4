public import ArgumentParser
import CallerOptions
public import FaceCore

/// The layout of raw pixels on the command line: FORMAT:WIDTHxHEIGHT[:STRIDE][:COLOUR].
extension PixelLayout: ExpressibleByArgument {
  public init?(argument: String) {
    var parts = argument.split(separator: ":", omittingEmptySubsequences: false)[...]
    guard let name = parts.popFirst(), let sides = parts.popFirst(), let size = Numbers.size(sides),
      let format = PixelFormat.allCases.first(where: { "\($0)" == name })
    else { return nil }
    self.init(format: format, width: size.width, height: size.height)
    if let bytes = parts.first.flatMap({ Int($0) }) {
      stride = bytes
      parts.removeFirst()
    }
    if let name = parts.popFirst() {
      guard let colour = PixelLayout.colours[String(name)] else { return nil }
      self.colour = colour
    }
    guard parts.isEmpty else { return nil }
  }

  private static let colours: [String: YUVColour] = [
    "bt601-full": .bt601Full, "bt601-video": .bt601Video, "bt709-full": .bt709Full,
    "bt709-video": .bt709Video,
  ]

  /// The image that takes up a whole file. Throws like `view`, and `invalidArgument` if the file is larger:
  /// the size is then wrong, and the search would find nothing.
  func view(ofFile bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    try validate()
    guard bytes.count <= byteCount else {
      throw Status(
        .invalidArgument,
        "the file has \(bytes.count) bytes, but \(size.width)×\(size.height) \(format.name) pixels have \(byteCount); give --raw the "
          + "image's size, or a stream of frames to face-engine watch")
    }
    return try view(of: bytes)
  }
}
