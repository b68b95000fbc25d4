import CYUV
import FaceCore

/// Converts luma and chroma to BGRA through libyuv, which repeats each chroma sample over the pixels it
/// stands for.
enum YUVConversion {
  /// Converts a view.
  /// - Returns: libyuv's code, 0 for success.
  static func convert(_ view: ImageView, into target: UnsafeMutablePointer<UInt8>, stride: Int) -> Int32 {
    let width = Int32(view.size.width)
    let height = Int32(view.size.height)
    let table = table(view.colour)
    let (first, firstStride) = plane(view, 0)
    let (second, secondStride) = plane(view, 1)
    switch view.format {
    case .nv12:
      return NV12ToARGBMatrix(
        first, firstStride, second, secondStride, target, Int32(stride), table, width, height)
    case .nv21:
      return NV21ToARGBMatrix(
        first, firstStride, second, secondStride, target, Int32(stride), table, width, height)
    case .i420:
      let (third, thirdStride) = plane(view, 2)
      return I420ToARGBMatrix(
        first, firstStride, second, secondStride, third, thirdStride, target, Int32(stride), table, width,
        height)
    case .nv16:
      // libyuv has no function for it, but a row of it is a row of NV12.
      for y in 0..<view.size.height {
        guard let first, let second else { return -1 }
        let result = NV12ToARGBMatrix(
          first + y * Int(firstStride), firstStride, second + y * Int(secondStride), secondStride,
          target + y * stride, Int32(stride), table, width, 1)
        guard result == 0 else { return result }
      }
      return 0
    case .yuyv, .uyvy:
      return convertInterleaved(view, into: target, stride: stride, table)
    case .rgba, .bgra, .rgb, .bgr, .gray:
      return -1
    }
  }

  /// Converts YUYV and UYVY. libyuv supports only one colour for them; split into planes, a row at a time, it
  /// supports all.
  private static func convertInterleaved(
    _ view: ImageView, into target: UnsafeMutablePointer<UInt8>, stride: Int,
    _ table: UnsafePointer<YuvConstants>?
  ) -> Int32 {
    let width = Int32(view.size.width)
    let half = (view.size.width + 1) / 2
    let (source, sourceStride) = plane(view, 0)
    let split = view.format == .yuyv ? YUY2ToI422 : UYVYToI422
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * half) { row in
      guard let source, let luma = row.baseAddress else { return -1 }
      let (first, second) = (luma + 2 * half, luma + 3 * half)
      for y in 0..<view.size.height {
        var result = split(
          source + y * Int(sourceStride), sourceStride, luma, width, first, Int32(half), second, Int32(half),
          width, 1)
        guard result == 0 else { return result }
        result = I422ToARGBMatrix(
          luma, width, first, Int32(half), second, Int32(half), target + y * stride, Int32(stride), table,
          width, 1)
        guard result == 0 else { return result }
      }
      return 0
    }
  }

  private static func plane(_ view: ImageView, _ index: Int) -> (UnsafePointer<UInt8>?, Int32) {
    let plane = view.plane(index)
    return (plane.bytes.bindMemory(to: UInt8.self).baseAddress, Int32(plane.stride))
  }

  private static func table(_ colour: YUVColour) -> UnsafePointer<YuvConstants>? {
    switch colour {
    case .bt601Full: yuv_table(yuv_bt601_full)
    case .bt601Video: yuv_table(yuv_bt601_video)
    case .bt709Full: yuv_table(yuv_bt709_full)
    case .bt709Video: yuv_table(yuv_bt709_video)
    }
  }
}
