package import FaceCore
import Posix

/// A format, size and rate that a camera offers.
package struct CameraMode: Equatable, Sendable {
  package var format: CameraFormat
  package var size: PixelSize
  /// The highest rate in frames per second; `nil` if the driver does not say.
  package var rate: Double?

  package init(format: CameraFormat, size: PixelSize, rate: Double?) {
    self.format = format
    self.size = size
    self.rate = rate
  }
}

/// Chooses a camera's mode as far as the options leave it open.
///
/// - Size: the largest within 1280×720, which shows faces across a room and keeps every network fast; the
///   smallest if all are larger.
/// - Format, among those of that size: the first of NV12, YUYV, UYVY, NV16 and MJPEG that reaches the rate
///   asked for, by default 30 frames per second. NV12 has the fewest bytes of those that need no decoding. Over USB 2,
///   raw pictures of this size arrive 5 to 10 times a second, so most cameras end up with MJPEG. If no format reaches
///   the rate, the fastest.
package enum CameraChoice {
  package static let usualSize = PixelSize(width: 1280, height: 720)
  package static let usualRate = 30
  /// Tolerance: 29.97 counts as 30.
  private static let enough = 0.98

  /// Throws `failedPrecondition` for a device that is not a camera or has no supported format,
  /// `invalidArgument` for a size that it does not have. The messages say what it offers; their subject is
  /// "it".
  package static func choose(_ device: any CameraDevice, _ options: CameraOptions) throws(Status)
    -> CameraMode
  {
    let formats = try supportedFormats(of: device, only: options.format)
    let modes = try query { () throws(SystemError) in
      var modes: [CameraMode] = []
      for format in formats {
        for size in try sizes(of: format, device, options.size) {
          let rate = try device.rates(of: format.code, size).max()
          modes.append(CameraMode(format: format, size: size, rate: rate))
        }
      }
      return modes
    }
    return try choose(modes, options)
  }

  /// The supported formats that the device offers, best first.
  private static func supportedFormats(
    of device: any CameraDevice, only format: CameraFormat?
  ) throws(Status) -> [CameraFormat] {
    let capability = try query { () throws(SystemError) in try device.capability() }
    guard capability.isCamera else {
      throw Status(
        .failedPrecondition,
        "it is not a camera with single-plane pictures in mapped buffers; "
          + "face-engine watch --list-cameras lists the cameras")
    }
    let codes = try query { () throws(SystemError) in try device.formats() }
    let usable = CameraFormat.allCases.filter { codes.contains($0.code) && (format == nil || format == $0) }
    guard !usable.isEmpty else {
      throw Status(
        .failedPrecondition,
        "it offers \(codes.map(\.description).joined(separator: ", ")), and "
          + "\(format.map { "\($0.code)" } ?? "NV12, YUYV, UYVY, NV16 or MJPG") is needed")
    }
    return usable
  }

  private static func query<Value>(_ body: () throws(SystemError) -> Value) throws(Status) -> Value {
    do {
      return try body()
    } catch {
      throw error.status("its formats cannot be read")
    }
  }

  /// - Parameter wanted: the size to look for; `nil` for the usual one.
  private static func sizes(
    of format: CameraFormat, _ device: any CameraDevice, _ wanted: PixelSize?
  ) throws(SystemError) -> [PixelSize] {
    let ranges = try device.sizes(of: format.code)
    // A driver without a list grants a size of its own, which is checked after setFormat.
    guard !ranges.isEmpty else { return [wanted ?? usualSize] }
    return ranges.map { $0.nearest(to: wanted ?? usualSize) }
  }

  package static func choose(_ modes: [CameraMode], _ options: CameraOptions) throws(Status) -> CameraMode {
    let size: PixelSize?
    if let wanted = options.size {
      guard modes.contains(where: { $0.size == wanted }) else {
        var names: [String] = []
        for mode in modes.sorted(by: { $0.size.area < $1.size.area }) where !names.contains(mode.size.text) {
          names.append(mode.size.text)
        }
        throw Status(
          .invalidArgument,
          "it does not offer \(wanted.text); it offers \(names.joined(separator: ", "))")
      }
      size = wanted
    } else {
      let within = modes.map(\.size).filter {
        $0.width <= usualSize.width && $0.height <= usualSize.height
      }
      size =
        within.max { $0.area < $1.area } ?? modes.map(\.size).min { $0.area < $1.area }
    }
    let rate = Double(options.framesPerSecond ?? usualRate) * enough
    let ofSize = modes.filter { $0.size == size }
    let chosen =
      ofSize.first { ($0.rate ?? .infinity) >= rate }
      ?? ofSize.max { ($0.rate ?? 0) < ($1.rate ?? 0) }
    guard let chosen else { throw Status(.failedPrecondition, "it offers no sizes") }
    return chosen
  }
}

extension PixelSize {
  fileprivate var area: Int { width * height }
  var text: String { "\(width)×\(height)" }
}
