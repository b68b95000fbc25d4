import CEXIF
import FaceCore

/// Reads the orientation and resolution of EXIF through libexif. A damaged or absent block gives `nil`.
enum Exif {
  /// The header that libexif expects before the TIFF structure; an APP1 segment contains it.
  /// Source: CIPA DC-008 (Exif 2.32), 4.7.2.B.
  private static let header: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]  // "Exif", 0, 0; a constant as bytes

  /// Reads the orientation of a JPEG. libexif's own search stops at a comment, so the segment is found here.
  static func orientation(
    ofJPEG file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    try JPEGSegments.find(0xE1, startingWith: header, in: file, token).flatMap { orientation(in: Array($0)) }
  }

  /// Reads the resolution of a JPEG. Source: CIPA DC-008 (Exif 2.32), 4.6.4.A, "XResolution".
  static func resolution(
    ofJPEG file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> PictureMetadata.Resolution? {
    guard let segment = try JPEGSegments.find(0xE1, startingWith: header, in: file, token) else { return nil }
    return read(Array(segment)) { directory, order in
      func sides(_ tag: ExifTag) -> Double? {
        guard let entry = exif_content_get_entry(directory, tag),
          entry.pointee.format == EXIF_FORMAT_RATIONAL,
          entry.pointee.size >= 8
        else { return nil }
        let value = exif_get_rational(entry.pointee.data, order)
        return Double(value.numerator) / Double(value.denominator)
      }
      guard let x = sides(EXIF_TAG_X_RESOLUTION), let y = sides(EXIF_TAG_Y_RESOLUTION) else { return nil }
      let metres = number(EXIF_TAG_RESOLUTION_UNIT, in: directory, order) == 3 ? 0.01 : 0.0254
      return PictureMetadata.Resolution(x: x / metres, y: y / metres)
    }
  }

  /// Reads the orientation of a PNG, which keeps the TIFF structure in a chunk `eXIf`, without the header.
  /// Source: PNG (third edition), 11.3.2.8 "eXIf".
  static func orientation(
    ofPNG file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    guard let chunk = try PNGChunks.find("eXIf", in: file, token), chunk.count < 1 << 16 else { return nil }
    return orientation(in: header + chunk)
  }

  /// Reads the orientation of a WebP, which keeps the TIFF structure in a chunk `EXIF`; some writers put the
  /// header before it.
  /// Source: WebP Container Specification, "Metadata".
  static func orientation(
    ofWebP file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Orientation? {
    guard let chunk = try WebPChunks.find("EXIF", in: file, token), chunk.count < 1 << 16 else { return nil }
    return orientation(in: chunk.starts(with: header) ? Array(chunk) : header + chunk)
  }

  private static func orientation(in block: [UInt8]) -> Orientation? {
    read(block) { directory, order in
      number(EXIF_TAG_ORIENTATION, in: directory, order).flatMap { UInt8(exactly: $0) }
        .flatMap(Orientation.init(rawValue:))
    }
  }

  private static func number(
    _ tag: ExifTag, in directory: UnsafeMutablePointer<ExifContent>, _ order: ExifByteOrder
  ) -> UInt16? {
    guard let entry = exif_content_get_entry(directory, tag), entry.pointee.format == EXIF_FORMAT_SHORT,
      entry.pointee.size >= 2
    else { return nil }
    return exif_get_short(entry.pointee.data, order)
  }

  /// Passes the directory of the main image to `body`.
  private static func read<Value>(
    _ block: [UInt8], _ body: (UnsafeMutablePointer<ExifContent>, ExifByteOrder) -> Value?
  ) -> Value? {
    guard let data = exif_data_new_from_data(block, UInt32(block.count)) else { return nil }
    defer { exif_data_unref(data) }
    guard let directory = data.pointee.ifd.0 else { return nil }  // EXIF_IFD_0
    return body(directory, exif_data_get_byte_order(data))
  }
}
