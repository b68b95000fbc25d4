/// A stream on the network, which the command does not read: it opens no connection but that to the engine. GStreamer
/// does.
struct NetworkStream: Equatable {
  var address: String

  /// `nil` for an input that is no address, such as a path.
  init?(_ input: String) {
    let schemes = ["rtsp", "rtsps", "rtspt", "rtmp", "http", "https", "srt", "udp", "rtp"]
    guard schemes.contains(where: { input.lowercased().hasPrefix("\($0)://") }) else { return nil }
    address = input
  }

  /// The line of GStreamer's command that watches it.
  var line: String {
    let parts = address.split(separator: "'", omittingEmptySubsequences: false)
    let quoted = "'" + parts.joined(separator: "'\\''") + "'"
    let source =
      address.lowercased().hasPrefix("rtsp")
      ? "rtspsrc location=\(quoted) ! decodebin" : "uridecodebin uri=\(quoted)"
    return "gst-launch-1.0 --messages \(source) ! videoconvert ! faceengine ! fakesink"
  }
}
