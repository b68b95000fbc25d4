import ArgumentParser
import Capture
import FaceCore

/// How a file of raw pixels is laid out: FORMAT:WIDTHxHEIGHT[:STRIDE][:COLOUR].
struct RawLayout: ExpressibleByArgument {
  private let format: PixelFormat
  private let size: PixelSize
  private var stride = 0
  private var colour = YUVColour.bt601Full

  init?(argument: String) {
    var parts = argument.split(separator: ":", omittingEmptySubsequences: false)[...]
    guard let name = parts.popFirst(), let sides = parts.popFirst(), let size = Numbers.size(sides),
      let format = PixelFormat.allCases.first(where: { "\($0)" == name })
    else { return nil }
    self.format = format
    self.size = size
    if let bytes = parts.first.flatMap({ Int($0) }) {
      stride = bytes
      parts.removeFirst()
    }
    if let name = parts.popFirst() {
      guard let colour = RawLayout.colours[String(name)] else { return nil }
      self.colour = colour
    }
    guard parts.isEmpty else { return nil }
  }

  private static let colours: [String: YUVColour] = [
    "bt601-full": .bt601Full, "bt601-video": .bt601Video, "bt709-full": .bt709Full,
    "bt709-video": .bt709Video,
  ]

  /// Of a stream of such frames. Throws as `FrameLayout.init`.
  var layout: FrameLayout {
    get throws(Status) {
      try FrameLayout(format: format, size: size, stride: stride, colour: colour)
    }
  }

  /// Throws as `ImageView.init` where the file is too small for that, and `invalidArgument` where it is too large: as pixels
  /// of another size it would be searched in vain.
  func view(_ bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    let layout = try layout
    guard bytes.count <= layout.byteCount else {
      throw Status(
        .invalidArgument,
        "the file has \(bytes.count) bytes, an image of \(size.width)×\(size.height) \(format.name) pixels \(layout.byteCount); give --raw the "
          + "size that it has, or a stream of frames to face-engine watch")
    }
    return try layout.view(bytes)
  }
}
