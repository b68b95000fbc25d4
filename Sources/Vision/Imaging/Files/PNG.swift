import CPictureDecoders
import FaceCore

/// Decodes PNG files of every bit depth and colour type.
enum PNG {
  static func size(of file: UnsafeRawBufferPointer, _ token: CancellationToken?) throws(Status) -> PixelSize {
    try open(file, token).size
  }

  static func decode(
    _ file: UnsafeRawBufferPointer, _ form: PixelForm = PixelForm(), _ token: CancellationToken?,
    _ makeBitmap: BitmapMaker = Bitmap.init
  ) throws(Status) -> Bitmap {
    let decoder = try open(file, token)
    let bitmap = try makeBitmap(decoder.size)
    try decoder.decode(
      into: bitmap,
      picture_form(eighths: 8, keeps_alpha: form.keepsAlpha, keeps_profile: form.keepsProfile))
    return bitmap
  }

  private static func open(
    _ file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> PictureDecoder {
    let decoder = try PictureDecoder(file, PICTURE_PNG, "PNG", token)
    try ImageLimits.checkHeld(
      width: decoder.size.width, height: decoder.size.height, alternative: ImageLimits.asJPEG)
    return decoder
  }
}

/// The chunk layout of a PNG file: 8-byte signature, then length, name, data, checksum.
enum PNGChunks {
  static func find(
    _ name: String, in file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Slice<UnsafeRawBufferPointer>? {
    var pacer = WorkPacer(token)
    var offset = 8
    while offset <= file.count - 12 {
      let length = Int(UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      let data = offset + 8
      guard length <= file.count - data - 4 else { return nil }
      if file[offset + 4..<data].elementsEqual(name.utf8) { return file[data..<data + length] }
      offset = data + length + 4
      try pacer.add(8)
    }
    return nil
  }
}
