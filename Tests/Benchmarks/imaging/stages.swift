// Measures the path from a frame to the network's pixels, compared with the plain way: libyuv converts the
// whole frame, then scales it. Prints a table; the ways take turns. Below half size libyuv's filter reads
// only some of the pixels, which is fast and makes stripes of thin detail; ours takes the mean of all.
//
//     stages ROUNDS FILE.jpg

import CYUV
import FaceCore
import Glibc
import Imaging

struct Frame {
  let name: String
  let input: ImageInput
  /// Converts and scales all of the frame; `nil` where there is no plain way but our own.
  let plain: ((PixelSize) -> Void)?
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let rounds = Int(arguments[1]), let file = fopen(arguments[2], "rb") else {
  fputs("usage: stages ROUNDS FILE.jpg\n", stderr)
  exit(2)
}

let (width, height) = (1920, 1080)
/// Smooth, with some noise: what a camera sees.
func samples(_ count: Int) -> UnsafeMutableRawBufferPointer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
  var state: UInt32 = 1
  for index in 0..<count {
    state = state &* 1_664_525 &+ 1_013_904_223
    bytes[index] = UInt8(truncatingIfNeeded: 64 + (index / 32 % 96) + Int(state >> 28))
  }
  return bytes
}

func pixels(_ bytes: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
  guard let first = bytes.bindMemory(to: UInt8.self).baseAddress else { fatalError("no memory") }
  return first
}

let whole = pixels(samples(width * height * 4))
let smaller = pixels(samples(width * height * 4))

func scale(_ source: UnsafeMutablePointer<UInt8>, _ size: PixelSize) {
  ARGBScale(
    source, Int32(4 * width), Int32(width), Int32(height), smaller, Int32(4 * size.width), Int32(size.width),
    Int32(size.height), kFilterBox)
}

let nv12 = samples(width * height * 3 / 2)
let bgra = samples(width * height * 4)
let bgr = samples(width * height * 3)
let yuyv = samples(width * height * 2)
var jpeg: [UInt8] = []
while case let byte = getc(file), byte != EOF { jpeg.append(UInt8(byte)) }
let encoded = UnsafeMutableRawBufferPointer.allocate(byteCount: jpeg.count, alignment: 16)
encoded.copyBytes(from: jpeg)

func view(_ format: PixelFormat, _ bytes: UnsafeMutableRawBufferPointer) throws -> ImageInput {
  ImageInput(
    .pixels(
      try ImageView(format: format, width: width, height: height, bytes: UnsafeRawBufferPointer(bytes))))
}

let frames = [
  Frame(name: "1080p NV12", input: try view(.nv12, nv12)) { size in
    NV12ToARGB(
      pixels(nv12), Int32(width), pixels(nv12) + width * height, Int32(width), whole, Int32(4 * width),
      Int32(width), Int32(height))
    scale(whole, size)
  },
  Frame(name: "1080p BGRA", input: try view(.bgra, bgra)) { size in scale(pixels(bgra), size) },
  Frame(name: "1080p BGR", input: try view(.bgr, bgr)) { size in
    RGB24ToARGB(pixels(bgr), Int32(3 * width), whole, Int32(4 * width), Int32(width), Int32(height))
    scale(whole, size)
  },
  Frame(name: "1080p YUYV", input: try view(.yuyv, yuyv)) { size in
    YUY2ToARGB(pixels(yuyv), Int32(2 * width), whole, Int32(4 * width), Int32(width), Int32(height))
    scale(whole, size)
  },
  Frame(name: "JPEG file", input: ImageInput(.encoded(UnsafeRawBufferPointer(encoded)))) { size in
    // The plain way decodes all of the file.
    guard let decoded = try? ImageDecoder.decode(UnsafeRawBufferPointer(encoded)) else { return }
    ARGBScale(
      decoded.bitmap.pixels.baseAddress, Int32(decoded.bitmap.stride), Int32(decoded.bitmap.size.width),
      Int32(decoded.bitmap.size.height), smaller, Int32(4 * size.width), Int32(size.width),
      Int32(size.height), kFilterBox)
  },
]

func microseconds(_ work: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try work()
  return Double((clock.now - start).components.attoseconds) / 1e12
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

print("frame         long side   ours us   plain us   plain/ours")
for frame in frames {
  for side in [1024, 640, 320] {
    var ours: [Double] = []
    var plain: [Double] = []
    let size = try NetworkInput(frame.input, maxSide: side, multiple: 32).letterbox.content
    for _ in 0..<rounds {
      ours.append(try microseconds { _ = try NetworkInput(frame.input, maxSide: side, multiple: 32) })
      plain.append(microseconds { frame.plain?(size) })
    }
    let (our, other) = (median(ours), median(plain))
    print(
      padded(frame.name, 14) + padded("\(side)", 12) + padded("\(Int(our))", 10) + padded("\(Int(other))", 11)
        + "\((other / our * 100).rounded() / 100)")
  }
}

// Crops of faces for the landmark network.
for (name, input) in [("1080p NV12", frames[0].input), ("1080p BGRA", frames[1].input)] {
  for side in [Float(120), 256, 900] {
    let square = RotatedSquare(center: Point(x: 960, y: 540), side: side, angle: 12)
    var times: [Double] = []
    for _ in 0..<rounds {
      times.append(try microseconds { _ = try UprightImage(input).crop(square, side: 256) })
    }
    print(padded(name, 14) + "crop of \(Int(side)) to 256: \(Int(median(times))) us")
  }
}
