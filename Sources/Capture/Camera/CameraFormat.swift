public import FaceCore
package import Posix

/// How a camera hands out its pictures, of the ways that are read.
public enum CameraFormat: String, Sendable, CaseIterable {
  case nv12
  case yuyv
  case mjpeg

  package var code: FourCC {
    switch self {
    case .nv12: FourCC("NV12")
    case .yuyv: FourCC("YUYV")
    case .mjpeg: FourCC("MJPG")
    }
  }

  /// `nil` for pictures that are JPEG files.
  var pixels: PixelFormat? {
    switch self {
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .mjpeg: nil
    }
  }
}

/// What is asked of a camera; see `CameraChoice` for the rest.
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
