public import FaceCore
import Posix

/// A camera of this machine.
public struct ListedCamera: Equatable, Sendable {
  public var path: String
  /// The name that the driver gives the camera.
  public var name: String
  public var modes: [Mode]

  public struct Mode: Equatable, Sendable {
    public var format: CameraFormat
    /// The size, or the largest of a range; `nil` if the driver does not say.
    public var size: PixelSize?
    /// The highest rate in frames per second; `nil` if the driver does not say.
    public var rate: Double?
  }
}

/// Lists the cameras of this machine.
public enum CameraList {
  private static let folder = "/dev"

  /// Returns the cameras in the order of their numbers. Devices that this user may not open are left out, and
  /// so are other video nodes, such as those for a camera's metadata.
  public static func cameras() throws(Status) -> [ListedCamera] {
    let numbers = try FileSystem.names(in: folder).compactMap { name in
      name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
    }
    return cameras(at: numbers.sorted().map { "\(folder)/video\($0)" }, open: .system)
  }

  package static func cameras(at paths: [String], open: CameraOpener) -> [ListedCamera] {
    paths.compactMap { path in try? describe(path, open) }
  }

  private static func describe(_ path: String, _ open: CameraOpener) throws(SystemError) -> ListedCamera? {
    let device = try open(path)
    let capability = try device.capability()
    guard capability.isCamera else { return nil }
    let codes = try device.formats()
    var modes: [ListedCamera.Mode] = []
    for format in CameraFormat.allCases where codes.contains(format.code) {
      let ranges = try device.sizes(of: format.code)
      for range in ranges {
        let size = PixelSize(width: range.widths.upperBound, height: range.heights.upperBound)
        let rate = try device.rates(of: format.code, size).max()
        modes.append(ListedCamera.Mode(format: format, size: size, rate: rate))
      }
      if ranges.isEmpty { modes.append(ListedCamera.Mode(format: format, size: nil, rate: nil)) }
    }
    return ListedCamera(path: path, name: capability.name, modes: modes)
  }
}
