public import FaceCore

/// Luma and chroma as plain grids: the naive reference of every YUV format.
public struct YUVPicture: Sendable {
  public let size: PixelSize
  public private(set) var colour: YUVColour
  /// YUYV, UYVY and NV16 have their own chroma for each row; the other formats share it between two rows.
  private let chromaRows: Int
  private var luma: [UInt8] = []
  private var blue: [UInt8] = []
  private var red: [UInt8] = []

  private var chromaWidth: Int { (size.width + 1) / 2 }

  /// The closest picture that `format` can represent; each chroma sample is the mean of the pixels it stands
  /// for.
  public init(_ picture: Picture, _ format: PixelFormat, _ colour: YUVColour) {
    size = picture.size
    self.colour = colour
    let high = [.yuyv, .uyvy, .nv16].contains(format) ? 1 : 2
    chromaRows = (size.height + high - 1) / high
    let matrix = Matrix(colour)
    for y in 0..<size.height {
      for x in 0..<size.width { luma.append(matrix.encoded(picture[x, y]).luma) }
    }
    for y in 0..<chromaRows {
      for x in 0..<chromaWidth {
        var (sumBlue, sumRed, count) = (0, 0, 0)
        for row in high * y..<min(size.height, high * (y + 1)) {
          for column in 2 * x..<min(size.width, 2 * x + 2) {
            let parts = matrix.encoded(picture[column, row])
            (sumBlue, sumRed, count) = (sumBlue + Int(parts.blue), sumRed + Int(parts.red), count + 1)
          }
        }
        blue.append(UInt8((sumBlue + count / 2) / count))
        red.append(UInt8((sumRed + count / 2) / count))
      }
    }
  }

  /// The same bytes, interpreted by another standard.
  public func `as`(_ colour: YUVColour) -> YUVPicture {
    var picture = self
    picture.colour = colour
    return picture
  }

  /// The colours by the formulas of the standards, each chroma sample repeated over its pixels.
  public var colours: Picture {
    let matrix = Matrix(colour)
    let high = chromaRows == size.height ? 1 : 2
    return Picture(size.width, size.height) { x, y in
      let chroma = y / high * chromaWidth + x / 2
      return matrix.decoded(luma[y * size.width + x], blue[chroma], red[chroma])
    }
  }

  /// The planes in memory, with `padding` bytes of 0xEE after each row but the last, and their strides.
  public func planes(_ format: PixelFormat, padding: Int) -> [(bytes: [UInt8], stride: Int)] {
    func interleaved(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
      zip(first, second).flatMap { [$0, $1] }
    }
    let rows: [[UInt8]] =
      switch format {
      case .nv12, .nv16: [luma, interleaved(blue, red)]
      case .nv21: [luma, interleaved(red, blue)]
      case .i420: [luma, blue, red]
      case .yuyv: [interleaved(evenLuma, interleaved(blue, red))]
      case .uyvy: [interleaved(interleaved(blue, red), evenLuma)]
      case .rgba, .bgra, .rgb, .bgr, .gray: preconditionFailure("this picture has luma and chroma")
      }
    return rows.enumerated().map { index, bytes in
      let width = format.rowBytes(plane: index, width: size.width)
      var padded: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: width) {
        if start > 0 { padded += [UInt8](repeating: 0xEE, count: padding) }
        padded += bytes[start..<start + width]
      }
      return (padded, width + padding)
    }
  }

  /// Rows have an even number of samples; the one beyond an odd width is never shown.
  private var evenLuma: [UInt8] {
    guard size.width % 2 == 1 else { return luma }
    var even: [UInt8] = []
    for start in stride(from: 0, to: luma.count, by: size.width) {
      even += luma[start..<start + size.width]
      even.append(0xEE)
    }
    return even
  }

  /// Passes `body` a view of the planes, each in memory that ends with its last pixel.
  public func withView<Result: ~Copyable>(
    _ format: PixelFormat, padding: Int = 0, _ body: (ImageView) throws(Status) -> Result
  ) throws(Status) -> Result {
    var guarded: [GuardedBytes] = []
    var planes: [ImageView.Plane] = []
    for (bytes, stride) in self.planes(format, padding: padding) {
      let memory = GuardedBytes(bytes)
      guarded.append(memory)
      planes.append(ImageView.Plane(memory.bytes, stride: stride))
    }
    defer { withExtendedLifetime(guarded) {} }
    return try body(
      try ImageView(
        format: format, width: size.width, height: size.height, colour: colour, planes: planes))
  }

  /// Source: ITU-R BT.601-7, 2.5.1 and 2.5.2; BT.709-6, 3.2 to 3.5; JFIF 1.02 for the full range.
  private struct Matrix {
    let redWeight: Double
    let blueWeight: Double
    let black: Double
    let lumaRange: Double
    let chromaRange: Double

    init(_ colour: YUVColour) {
      let is601 = colour == .bt601Full || colour == .bt601Video
      let isFull = colour == .bt601Full || colour == .bt709Full
      (redWeight, blueWeight) = is601 ? (0.299, 0.114) : (0.2126, 0.0722)
      (black, lumaRange, chromaRange) = isFull ? (0, 255, 255) : (16, 219, 224)
    }

    func encoded(_ colour: RGB) -> (luma: UInt8, blue: UInt8, red: UInt8) {
      let (red, blue) = (Double(colour.red) / 255, Double(colour.blue) / 255)
      let green = Double(colour.green) / 255
      let luma = redWeight * red + (1 - redWeight - blueWeight) * green + blueWeight * blue
      return (
        byte(luma * lumaRange + black), byte((blue - luma) / (2 - 2 * blueWeight) * chromaRange + 128),
        byte((red - luma) / (2 - 2 * redWeight) * chromaRange + 128)
      )
    }

    func decoded(_ luma: UInt8, _ blue: UInt8, _ red: UInt8) -> RGB {
      let light = (Double(luma) - black) / lumaRange
      let redPart = light + (2 - 2 * redWeight) * (Double(red) - 128) / chromaRange
      let bluePart = light + (2 - 2 * blueWeight) * (Double(blue) - 128) / chromaRange
      let green = (light - redWeight * redPart - blueWeight * bluePart) / (1 - redWeight - blueWeight)
      return RGB(byte(redPart * 255), byte(green * 255), byte(bluePart * 255))
    }

    private func byte(_ value: Double) -> UInt8 {
      UInt8(min(max(value, 0), 255).rounded(.toNearestOrAwayFromZero))
    }
  }
}
