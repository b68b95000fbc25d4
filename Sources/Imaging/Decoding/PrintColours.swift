import FaceCore

/// Cyan, magenta, yellow and black to blue, green and red, without a printer's profile: each ink takes its share away.
enum PrintColours {
  /// In place. Every known writer follows Adobe and stores what is left of the light, not the ink; so does this.
  /// Source: Adobe Technical Note 5116, 18; libjpeg, libjpeg.txt "Special color spaces".
  static func convert(_ bitmap: borrowing Bitmap) {
    for first in stride(from: 0, to: bitmap.pixels.count, by: Bitmap.bytesPerPixel) {
      let pixel = bitmap.pixels[first..<first + 4]
      let black = UInt16(pixel[first + 3])
      let light = { (ink: UInt8) in UInt8((UInt16(ink) * black + 127) / 255) }
      let (red, green, blue) = (light(pixel[first]), light(pixel[first + 1]), light(pixel[first + 2]))
      bitmap.pixels[first] = blue
      bitmap.pixels[first + 1] = green
      bitmap.pixels[first + 2] = red
      bitmap.pixels[first + 3] = 255
    }
  }
}
