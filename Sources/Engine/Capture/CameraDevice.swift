public import FaceCore
package import Posix

/// The driver of a camera: Video4Linux, or a test's script. Its threading rules are those of `VideoDevice`.
package protocol CameraDevice: AnyObject, Sendable {
  func capability() throws(SystemError) -> VideoCapability
  func formats() throws(SystemError) -> [FourCC]
  func sizes(of format: FourCC) throws(SystemError) -> [VideoSizes]
  func rates(of format: FourCC, _ size: PixelSize) throws(SystemError) -> [Double]
  func setFormat(_ code: FourCC, _ size: PixelSize) throws(SystemError) -> VideoFormat
  func setRate(_ framesPerSecond: Int) throws(SystemError) -> Double?
  func start(buffers count: Int) throws(SystemError)
  func stop()
  /// The buffers that `start` mapped, valid for as long as this object exists.
  var buffers: [UnsafeRawBufferPointer] { get }
  func wait(
    or interruption: Interruption, until deadline: MonotonicTime
  ) throws(SystemError) -> Interruption.Waited
  func dequeue() throws(SystemError) -> VideoBuffer
  func queue(_ index: Int) throws(SystemError)
}

extension VideoDevice: CameraDevice {}

/// Opens a camera by its path.
package struct CameraOpener: Sendable {
  private let open: @Sendable (_ path: String) throws(SystemError) -> any CameraDevice

  package init(_ open: @escaping @Sendable (_ path: String) throws(SystemError) -> any CameraDevice) {
    self.open = open
  }

  func callAsFunction(_ path: String) throws(SystemError) -> any CameraDevice { try open(path) }

  static let system = CameraOpener { (path) throws(SystemError) in try VideoDevice(path) }
}

/// The picture formats that are supported for cameras.
public enum CameraFormat: String, Sendable, CaseIterable {
  case nv12
  case yuyv
  case uyvy
  case nv16
  case mjpeg

  package var code: FourCC {
    switch self {
    case .nv12: FourCC("NV12")
    case .yuyv: FourCC("YUYV")
    case .uyvy: FourCC("UYVY")
    case .nv16: FourCC("NV16")
    case .mjpeg: FourCC("MJPG")
    }
  }

  /// The pixel format; `nil` for JPEG files.
  var pixels: PixelFormat? {
    switch self {
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .uyvy: .uyvy
    case .nv16: .nv16
    case .mjpeg: nil
    }
  }
}

/// The requested mode of a camera. `CameraChoice` chooses what is `nil`.
public struct CameraOptions: Equatable, Sendable {
  public var format: CameraFormat?
  public var size: PixelSize?
  public var framesPerSecond: Int?

  public init(format: CameraFormat? = nil, size: PixelSize? = nil, framesPerSecond: Int? = nil) {
    self.format = format
    self.size = size
    self.framesPerSecond = framesPerSecond
  }
}
