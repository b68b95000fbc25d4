package import FaceCore
import Posix

/// A format, size and rate that a camera offers.
package struct CameraMode: Equatable, Sendable {
  package var format: CameraFormat
  package var size: PixelSize
  /// The most frames a second; `nil` where the driver does not tell.
  package var rate: Double?

  package init(format: CameraFormat, size: PixelSize, rate: Double?) {
    self.format = format
    self.size = size
    self.rate = rate
  }
}

/// The rule by which a camera's mode is chosen where its user leaves a choice.
///
/// - Size: the largest that is within 1280×720, where faces across a room are seen and no network is slow; the smallest
///   where all are larger.
/// - Format, among those of that size: the first of NV12, YUYV and MJPEG that reaches the rate asked for, 30 frames a
///   second where none was. NV12 has the fewest bytes of those that need no decoding. Over USB 2, raw pictures of this size come
///   5 to 10 times a second, so that most cameras end up with MJPEG. Where none reaches the rate, the quickest.
package enum CameraChoice {
  package static let usualSize = PixelSize(width: 1280, height: 720)
  package static let usualRate = 30
  /// 29.97 is what is called 30.
  private static let enough = 0.98

  /// Throws `failedPrecondition` for a device that is no camera, or has no format that is read, `invalidArgument` for a
  /// size that it does not have. Each says what there is, of an "it".
  package static func choose(_ device: any CameraDevice, _ options: CameraOptions) throws(Status)
    -> CameraMode
  {
    let formats = try offered(by: device, only: options.format)
    let modes = try ask { () throws(SystemError) in
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

  /// Those that are read, in the order of preference.
  private static func offered(
    by device: any CameraDevice, only format: CameraFormat?
  ) throws(Status) -> [CameraFormat] {
    let capability = try ask { () throws(SystemError) in try device.capability() }
    guard capability.isCamera else {
      throw Status(
        .failedPrecondition,
        "it is no camera that hands out pictures in one piece through mapped buffers; "
          + "face-engine watch --list-cameras lists those")
    }
    let codes = try ask { () throws(SystemError) in try device.formats() }
    let usable = CameraFormat.allCases.filter { codes.contains($0.code) && (format == nil || format == $0) }
    guard !usable.isEmpty else {
      throw Status(
        .failedPrecondition,
        "it offers \(codes.map(\.description).joined(separator: ", ")), and "
          + "\(format.map { "\($0.code)" } ?? "NV12, YUYV or MJPG") is needed")
    }
    return usable
  }

  private static func ask<Value>(_ body: () throws(SystemError) -> Value) throws(Status) -> Value {
    do {
      return try body()
    } catch {
      throw error.status("it cannot be asked for its formats")
    }
  }

  /// - Parameter wanted: the only one that is of interest; `nil` for all.
  private static func sizes(
    of format: CameraFormat, _ device: any CameraDevice, _ wanted: PixelSize?
  ) throws(SystemError) -> [PixelSize] {
    let ranges = try device.sizes(of: format.code)
    // A driver that does not tell grants what it likes; that is looked at then.
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
          "it has no pictures of \(wanted.text); it has \(names.joined(separator: ", "))")
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
