import Capture
import FaceCore
import Imaging
import Posix
import Rendering

/// Writes the frames with their faces marked, and with the circle and tip of a guided check, as a Y4M stream:
/// C420jpeg in BT.601's video range. Source: mjpegtools, yuv4mpeg(5).
///
/// All frames of such a stream have the size of the first one. Frames of other sizes and failed ones are left
/// out.
final class Y4MSink: WatchSink {
  private var size: PixelSize?
  private var pixels: HeapFrameMemory?
  /// Why the last frame was left out. Printed once, since a camera may deliver 30 such frames a second.
  private var lastNote = ""

  func write(_ report: FrameReport) throws(Status) -> Bool {
    guard let image = report.image else { return leaveOut(report, because: report.failure) }
    switch report.outcome {
    case .failure: return leaveOut(report, because: report.failure)
    case .success(let result):
      let canvas = try Annotation.canvas(image, result.faces)
      if let check = report.check { Annotation.draw(check, on: canvas) }
      if size == nil {
        guard try begin(canvas.size, report.rate) else { return false }
      }
      guard let pixels, canvas.size == size else {
        return leaveOut(report, because: "its size differs from that of the first frame")
      }
      try canvas.withView { (view) throws(Status) in
        try PixelConverter.writeI420(view, into: pixels.bytes)
      }
      lastNote = ""
      guard try write("FRAME\n") else { return false }
      return try StandardOutput.write(UnsafeRawBufferPointer(pixels.bytes))
    }
  }

  func write(_ event: CameraEvent) throws(Status) -> Bool {
    switch event {
    case .opened(let camera):
      StandardError.write("face-engine: \(camera.path): \(camera.name), \(camera.text)\n")
    case .lost(let path, let reason): StandardError.write("face-engine: \(path): \(reason)\n")
    }
    return true
  }

  private func begin(_ size: PixelSize, _ rate: FrameRate?) throws(Status) -> Bool {
    self.size = size
    pixels = try HeapFrameMemory(byteCount: PixelConverter.i420ByteCount(size))
    let rate = rate.map { "\($0.numerator):\($0.denominator)" } ?? "30:1"
    return try write(
      "YUV4MPEG2 W\(size.width) H\(size.height) F\(rate) Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED\n"
    )
  }

  private func write(_ text: String) throws(Status) -> Bool {
    try withBytes(of: Array(text.utf8)) { (bytes) throws(Status) in try StandardOutput.write(bytes) }
  }

  private func leaveOut(_ report: FrameReport, because reason: String) -> Bool {
    if reason != lastNote {
      StandardError.write("face-engine: frame \(report.number) is skipped: \(reason)\n")
      lastNote = reason
    }
    return true
  }
}

extension FrameReport {
  fileprivate var failure: String {
    if case .failure(let status) = outcome { status.message } else { "it has no picture" }
  }
}
