import CEXIF
import FaceCore

/// Reads the orientation, EXIF tag 0x0112, through libexif. A damaged or absent EXIF block gives `nil`.
enum ExifOrientation {
  /// The header that libexif expects before the TIFF structure; an APP1 segment contains it.
  /// Source: CIPA DC-008 (Exif 2.32), 4.7.2.B.
  private static let header: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]  // "Exif", 0, 0; a constant as bytes

  /// Reads the orientation of a JPEG. libexif's own search stops at a comment, so the segment is found here.
  static func read(
    fromJPEG file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    try JPEGSegments.find(0xE1, startingWith: header, in: file, token).flatMap { orientation(in: Array($0)) }
  }

  /// Reads the orientation of a PNG, which keeps the TIFF structure in a chunk `eXIf`, without the header.
  /// Source: PNG (third edition), 11.3.2.8 "eXIf".
  static func read(
    fromPNG file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    guard let chunk = try PNGChunks.find("eXIf", in: file, token), chunk.count < 1 << 16 else { return nil }
    return orientation(in: header + chunk)
  }

  /// Reads the orientation of a WebP, which keeps the TIFF structure in a chunk `EXIF`; some writers put the
  /// header before it.
  /// Source: WebP Container Specification, "Metadata".
  static func read(
    fromWebP file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    guard let chunk = try WebPChunks.find("EXIF", in: file, token), chunk.count < 1 << 16 else { return nil }
    return orientation(in: chunk.starts(with: header) ? Array(chunk) : header + chunk)
  }

  private static func orientation(in block: [UInt8]) -> Orientation? {
    guard let data = exif_data_new_from_data(block, UInt32(block.count)) else { return nil }
    defer { exif_data_unref(data) }
    guard let directory = data.pointee.ifd.0,  // EXIF_IFD_0: the main image
      let entry = exif_content_get_entry(directory, EXIF_TAG_ORIENTATION),
      entry.pointee.format == EXIF_FORMAT_SHORT, entry.pointee.size >= 2
    else { return nil }
    let value = exif_get_short(entry.pointee.data, exif_data_get_byte_order(data))
    return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
  }
}
