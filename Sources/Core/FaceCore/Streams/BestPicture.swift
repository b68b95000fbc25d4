/// The options for keeping the best picture of each tracked face of a stream.
public struct BestPictureOptions: Equatable, Sendable {
  /// Width and height of the crop in pixels.
  public var size = BestPictureOptions.standardSize
  /// Space around the box in the crop on each side, in long sides of the box.
  public var margin = BestPictureOptions.standardMargin

  public static let standardSize = 256
  /// That of a guided check's crop.
  public static let standardMargin: Float = 0.4
  public static let sizes = 16...1024
  public static let margins: ClosedRange<Float> = 0...4
  /// The measurements that the score needs.
  public static let outputs: FaceOutputs = [.quality, .eyes]

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    guard Self.sizes.contains(size) else {
      throw Status(
        .invalidArgument,
        "best_size is \(size); give \(Self.sizes.lowerBound) to \(Self.sizes.upperBound) pixels, or 0 for no pictures")
    }
    guard Self.margins.contains(margin) else {
      throw Status(.invalidArgument, "best_margin is \(margin); give 0 to 4, in long sides of the face's box")
    }
  }
}

/// The best picture of a tracked face so far: a crop of one frame.
public struct BestPicture: Equatable, Sendable {
  /// The face with its measurements, in pixels of the frame's upright image.
  public var face: Face
  public var imageSize: PixelSize
  /// The number and the time of the frame.
  public var frame: UInt64
  public var timestamp: UInt64
  /// How good the picture is, 0…1: `Face.pictureScore`.
  public var score: Float
  public var crop: CropPixels
  /// The part of the upright image that the crop shows; it may extend beyond the image.
  public var cropBox: Box
  /// Whether the face has left, so that the picture is kept no longer.
  public var hasLeft = false

  public init(
    face: Face, imageSize: PixelSize, frame: FrameInfo, score: Float, crop: CropPixels, cropBox: Box
  ) {
    self.face = face
    self.imageSize = imageSize
    self.frame = frame.number
    timestamp = frame.timestamp
    self.score = score
    self.crop = crop
    self.cropBox = cropBox
  }

  /// The face's id.
  public var id: UInt64 { face.track?.id ?? 0 }
}

extension Face {
  /// How good a picture of the face its frame has, 0…1: the capture quality, down to half of it if an eye is closed.
  /// `nil` where the quality was not measured.
  public var pictureScore: Float? {
    guard let quality else { return nil }
    // An eye counts as open from 0.5 on.
    let open = eyes.map { min($0.leftOpen, $0.rightOpen, 0.5) } ?? 0.5
    return quality.overall * (0.5 + max(open, 0))
  }
}

extension CaptureQuality {
  /// Returns whether a picture of `score` should replace the kept one of `best`: a slight improvement does not justify
  /// another copy.
  package static func replaces(_ best: Float?, with score: Float) -> Bool { best.map { score > $0 * 1.02 } ?? true }
}

/// The pixels of a crop: blue, green, red, 255; rows without a gap. They may be shared.
public final class CropPixels: @unchecked Sendable, Equatable {
  public let size: PixelSize
  // Only read after it is made. The memory is overwritten when it is freed: see `MemoryPrivacy`.
  private let memory: HeapMemory

  /// Throws `resourceExhausted`.
  public init(copying pixels: UnsafeRawBufferPointer, size: PixelSize) throws(Status) {
    self.size = size
    memory = try HeapMemory.copy(of: pixels, nil)
  }

  /// Valid for as long as this object lives.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.bytes) }

  /// Runs `body` with the crop as an image. Throws as `ImageView` does.
  public func withImage<Value>(_ body: (ImageInput) throws(Status) -> Value) throws(Status) -> Value {
    defer { extendLifetime(self) }
    let view = try ImageView(format: .bgra, width: size.width, height: size.height, bytes: bytes)
    return try body(ImageInput(.pixels(view), orientation: .up))
  }

  public static func == (a: CropPixels, b: CropPixels) -> Bool {
    a.size == b.size && a.bytes.elementsEqual(b.bytes)
  }
}
