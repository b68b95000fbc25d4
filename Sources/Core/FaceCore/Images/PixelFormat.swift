/// The arrangement of pixels in memory. The names of packed formats give the order of the bytes of a pixel,
/// first byte first.
public enum PixelFormat: UInt8, Sendable, CaseIterable {
  case rgba = 1
  case bgra = 2
  case rgb = 3
  case bgr = 4
  case gray = 5
  /// Two planes: luma, then Cb and Cr interleaved at half the width and height.
  case nv12 = 6
  /// Like `nv12`, with Cr before Cb.
  case nv21 = 7
  /// Three planes: luma, Cb, Cr, the last two at half the width and height.
  case i420 = 8
  /// One plane: the bytes Y, Cb, Y, Cr for each two pixels of a row.
  case yuyv = 9
  /// Like `yuyv`, with the bytes Cb, Y, Cr, Y.
  case uyvy = 10
  /// Like `nv12`, with chroma at the full height.
  case nv16 = 11

  /// The formats with one plane in which each pixel has bytes of its own.
  public static let packed: [PixelFormat] = [.rgba, .bgra, .rgb, .bgr, .gray]

  public var name: StaticString {
    switch self {
    case .rgba: "RGBA"
    case .bgra: "BGRA"
    case .rgb: "RGB"
    case .bgr: "BGR"
    case .gray: "GRAY"
    case .nv12: "NV12"
    case .nv21: "NV21"
    case .i420: "I420"
    case .yuyv: "YUYV"
    case .uyvy: "UYVY"
    case .nv16: "NV16"
    }
  }

  public var planeCount: Int {
    switch self {
    case .rgba, .bgra, .rgb, .bgr, .gray, .yuyv, .uyvy: 1
    case .nv12, .nv21, .nv16: 2
    case .i420: 3
    }
  }

  /// Whether the format stores luma and chroma, which need a `YUVColour`.
  public var isYUV: Bool {
    switch self {
    case .rgba, .bgra, .rgb, .bgr, .gray: false
    case .nv12, .nv21, .i420, .yuyv, .uyvy, .nv16: true
    }
  }

  /// Returns the bytes of one row of `plane` in an image of `width` pixels. The last pixel of an odd width
  /// has a chroma sample of its own.
  public func rowBytes(plane: Int, width: Int) -> Int {
    let halfWidth = (width + 1) / 2
    return switch self {
    case .rgba, .bgra: width * 4
    case .rgb, .bgr: width * 3
    case .gray: width
    case .nv12, .nv21, .nv16: plane == 0 ? width : halfWidth * 2
    case .i420: plane == 0 ? width : halfWidth
    case .yuyv, .uyvy: halfWidth * 4
    }
  }

  /// Returns the rows of `plane` in an image of `height` pixels.
  public func rows(plane: Int, height: Int) -> Int {
    plane == 0 || self == .nv16 ? height : (height + 1) / 2
  }
}

/// The matrix and range of luma and chroma. Sources: ITU-R BT.601-7, BT.709-6; "full" is JFIF's 0…255,
/// "video" 16…235 and 16…240.
public enum YUVColour: UInt8, Sendable, CaseIterable {
  case bt601Full = 0
  case bt601Video = 1
  case bt709Full = 2
  case bt709Video = 3
}
