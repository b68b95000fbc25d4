import FaceCore
import Imaging

/// A picture file is refused with a status, or becomes pixels, whole, as a network's input and as a copy with its
/// transparency, that agree with its header.
///
/// The input: the file. HEIC and AVIF are left out: libheif reads them, which the engine lets end in a process of its
/// own.
enum PictureFuzz {
  /// Larger pictures are only slow.
  private static let mostPixels = 1 << 20

  static func run(_ input: Span<UInt8>) {
    input.withUnsafeBytes { file in
      guard file.count < 8 || !file[4..<8].elementsEqual("ftyp".utf8) else { return }
      do throws(Status) {
        let header = try ImageDecoder.header(of: file)
        guard header.size.width * header.size.height <= mostPixels else { return }
        let metadata = try ImageDecoder.metadata(of: file)
        precondition(metadata.profile.count <= PictureMetadata.maxProfileBytes)
        precondition(ImageDecoder.pageCount(of: file) >= 0)
        let copy = try PictureCopy(of: ImageInput(.encoded(file))).intoBitmap()
        precondition(copy.pixels.count == Bitmap.bytesPerPixel * header.size.width * header.size.height)
        let decoded = try ImageDecoder.decode(file)
        precondition(decoded.bitmap.size == header.size && decoded.orientation == header.orientation)
        precondition(
          decoded.bitmap.pixels.count == Bitmap.bytesPerPixel * header.size.width * header.size.height)
        let input = try NetworkInput(ImageInput(.encoded(file)), maxSide: 64, multiple: 32)
        let shown = input.letterbox.content
        precondition(max(shown.width, shown.height) <= 64 && min(shown.width, shown.height) >= 1)
      } catch {
        precondition(error.code != .ok && !error.message.isEmpty)
        precondition(error.code != .internal, error.message)
      }
    }
  }
}
