package import FaceCore
package import Posix

/// What is asked of a camera's driver: Video4Linux, or a test's script. Threads as `VideoDevice`.
package protocol CameraDevice: AnyObject, Sendable {
  func capability() throws(SystemError) -> VideoCapability
  func formats() throws(SystemError) -> [FourCC]
  func sizes(of format: FourCC) throws(SystemError) -> [VideoSizes]
  func rates(of format: FourCC, _ size: PixelSize) throws(SystemError) -> [Double]
  func setFormat(_ code: FourCC, _ size: PixelSize) throws(SystemError) -> VideoFormat
  func setRate(_ framesPerSecond: Int) throws(SystemError) -> Double?
  func start(buffers count: Int) throws(SystemError)
  func stop()
  /// Mapped by `start`, for as long as this object lives.
  var buffers: [UnsafeRawBufferPointer] { get }
  func wait(
    or interruption: Interruption, until deadline: MonotonicTime
  ) throws(SystemError) -> Interruption.Waited
  func dequeue() throws(SystemError) -> VideoBuffer
  func queue(_ index: Int) throws(SystemError)
}

extension VideoDevice: CameraDevice {}

/// Opens cameras by their paths.
package struct CameraOpener: Sendable {
  private let open: @Sendable (_ path: String) throws(SystemError) -> any CameraDevice

  package init(_ open: @escaping @Sendable (_ path: String) throws(SystemError) -> any CameraDevice) {
    self.open = open
  }

  func callAsFunction(_ path: String) throws(SystemError) -> any CameraDevice { try open(path) }

  /// Those of this machine.
  static let system = CameraOpener { (path) throws(SystemError) in try VideoDevice(path) }
}
