import Capture
import FaceCore
import Imaging
import Posix
import Rendering

/// Writes the frames with their faces marked or covered, and with the circle and tip of a guided check, as a Y4M
/// stream: C420jpeg in BT.601's video range. Source: mjpegtools, yuv4mpeg(5).
///
/// All frames of such a stream have the size of the first one. Frames of other sizes and failed ones are left
/// out.
///
/// The stream has a constant rate. Where the frames' times are uneven, a frame is repeated until the next one's time,
/// so that a player shows each when it should.
final class Y4MSink: WatchSink {
  private let keepsTime: Bool
  private var covers: VideoCovers?
  private var rate = Y4MSink.usualRate
  /// The number of frames written.
  private var count: UInt64 = 0
  /// When the frame is due in the stream that is written, and its own time, in nanoseconds.
  private var (due, lastTime): (UInt64, UInt64?) = (0, nil)
  private var size: PixelSize?
  private var pixels: HeapFrameMemory?
  /// Why the last frame was left out. Printed once, since a camera may deliver 30 such frames a second.
  private var lastNote = ""

  private static let usualRate = FrameRate(30)
  /// The longest time for which one frame is repeated, in nanoseconds: a longer gap becomes this short.
  private static let longestGap: UInt64 = 10_000_000_000

  /// - Parameters:
  ///   - keepsTime: whether frames are repeated, as those of a video are.
  ///   - covers: covers the faces instead of marking them.
  init(keepsTime: Bool, _ covers: VideoCovers?) {
    self.keepsTime = keepsTime
    self.covers = covers
  }

  func write(_ report: FrameReport) throws(Status) -> Bool {
    guard let image = report.image else { return leaveOut(report, because: report.failure) }
    switch report.outcome {
    case .failure: return leaveOut(report, because: report.failure)
    case .success(let result):
      let canvas = try Annotation.canvas(image)
      if covers == nil { Annotation.draw(result.faces, on: canvas) }
      covers?.draw(result.faces, at: report.origin.timestamp, on: canvas)
      if let check = report.check { Annotation.draw(check, on: canvas) }
      if size == nil {
        guard try begin(canvas.size, report.rate, try UprightImage(image).pixelAspect) else { return false }
      }
      guard let pixels, canvas.size == size else {
        return leaveOut(report, because: "its size differs from that of the first frame")
      }
      guard try repeatFrame(until: report.origin.timestamp) else { return false }
      try canvas.withView { (view) throws(Status) in
        try PixelConverter.writeI420(view, into: pixels.bytes)
      }
      lastNote = ""
      return try writeFrame(pixels)
    }
  }

  private func writeFrame(_ pixels: HeapFrameMemory) throws(Status) -> Bool {
    count += 1
    guard try write("FRAME\n") else { return false }
    return try StandardOutput.write(UnsafeRawBufferPointer(pixels.bytes))
  }

  /// Writes the last frame again until a frame of this time is due.
  private func repeatFrame(until time: UInt64) throws(Status) -> Bool {
    if let lastTime, time > lastTime { due += min(time - lastTime, Y4MSink.longestGap) }
    lastTime = time
    guard keepsTime, count > 0, let pixels, let rate else { return true }
    while rate.time(ofFrame: count) + rate.time(ofFrame: 1) / 2 <= due {
      guard try writeFrame(pixels) else { return false }
    }
    return true
  }

  /// The simplest fraction that has this value, as in 64:45.
  private static func fraction(_ value: Float) -> String {
    func numerator(_ denominator: Int) -> Float { (value * Float(denominator)).rounded() }
    let denominator = (1...1000).first { abs(numerator($0) / Float($0) - value) <= 1e-6 * value } ?? 1000
    return "\(Int(numerator(denominator))):\(denominator)"
  }

  func write(_ event: CameraEvent) throws(Status) -> Bool {
    switch event {
    case .opened(let camera):
      StandardError.write("face-engine: \(camera.path): \(camera.name), \(camera.text)\n")
    case .lost(let path, let reason): StandardError.write("face-engine: \(path): \(reason)\n")
    }
    return true
  }

  /// The file is enough: standard output has the frames.
  func write(_ picture: BestPicture, savedAt path: String) -> Bool { true }

  private func begin(_ size: PixelSize, _ rate: FrameRate?, _ aspect: Float) throws(Status) -> Bool {
    self.size = size
    if let rate { self.rate = rate }
    pixels = try HeapFrameMemory(byteCount: PixelConverter.i420ByteCount(size))
    let rate = self.rate.map { "\($0.numerator):\($0.denominator)" } ?? "30:1"
    return try write(
      "YUV4MPEG2 W\(size.width) H\(size.height) F\(rate) Ip A\(Y4MSink.fraction(aspect)) C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED\n"
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
