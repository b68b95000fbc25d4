import FaceCore
import Imaging
import TestSupport
import Testing

/// Tests which pictures of faces are kept, for how long, and what they show.
@Suite struct BestPicturesTests {
  /// An image without two equal places: red increases to the right, green downwards.
  private static let map = Picture(240, 160) { x, y in RGB(UInt8(x), UInt8(y), 40) }

  private let options = adjusted(BestPictureOptions()) { ($0.size, $0.margin) = (40, 0) }

  private func face(_ id: UInt64?, quality: Float?, open: Float? = nil, at box: Box? = nil) -> Face {
    var face = Face(box: box ?? Box(x: 100, y: 60, width: 40, height: 20), confidence: 1, points: nil)
    face.track = id.map { Track(id: $0, frameCount: 1) }
    face.quality = quality.map {
      CaptureQuality(overall: $0, sharpness: $0, exposure: $0, size: $0, pose: $0, framing: $0)
    }
    face.eyes = open.map { Eyes(leftOpen: 1, rightOpen: $0) }
    return face
  }

  /// Adds a frame of `map`.
  private func add(
    _ faces: [Face], to best: inout BestPictures, number: UInt64, aspect: Float = 1
  ) throws {
    let result = DetectionResult(imageSize: Self.map.size, faces: faces)
    try Self.map.withView(.rgb) { view throws(Status) in
      var image = ImageInput(.pixels(view))
      image.pixelAspect = aspect
      best.update(result, of: FrameInfo(number: number, timestamp: number * 10)) { image }
    }
  }

  @Test func clearlyBetterFrameReplacesThePicture() throws {
    var best = BestPictures(options)
    for (number, quality) in [(1, 0.5), (2, 0.505), (3, 0.6), (4, 0.3)] as [(UInt64, Float)] {
      try add([face(7, quality: quality)], to: &best, number: number)
    }
    #expect(best.pictures(of: 7).map(\.frame) == [3] && best.pictures(of: nil).map(\.timestamp) == [30])
    #expect(best.pictures(of: 7).allSatisfy { !$0.hasLeft })
    #expect(best.take([3, 7]).map(\.score) == [0.6])
    #expect(best.take([7]).isEmpty && best.pictures(of: nil).isEmpty)
  }

  @Test func closedEyeHalvesTheScore() {
    #expect(face(1, quality: 0.8, open: 0.9).pictureScore == 0.8)
    #expect(face(1, quality: 0.8, open: 0.5).pictureScore == 0.8)
    #expect(face(1, quality: 0.8, open: 0).pictureScore == 0.4)
    #expect(face(1, quality: 0.8).pictureScore == 0.8)
    #expect(face(1, quality: nil).pictureScore == nil)
  }

  @Test func facesWithoutIdOrQualityHaveNoPicture() throws {
    var best = BestPictures(options)
    try add([face(nil, quality: 1), face(2, quality: nil)], to: &best, number: 1)
    #expect(best.pictures(of: nil).isEmpty)
  }

  @Test func onlySoManyFacesHavePictures() throws {
    var best = BestPictures(options)
    let count = UInt64(BestPictures.maxFaces)
    try add((1...count + 5).map { face($0, quality: 0.5) }, to: &best, number: 1)
    #expect(best.pictures(of: nil).map(\.id) == Array(1...count))
    // Those that have one still get a better one, and a face that leaves makes room.
    try add([face(1, quality: 0.9), face(count + 1, quality: 0.9)], to: &best, number: 2)
    #expect(best.pictures(of: 1).map(\.frame) == [2] && best.pictures(of: count + 1).isEmpty)
    #expect(best.take([1]).count == 1)
    try add([face(count + 1, quality: 0.9)], to: &best, number: 3)
    #expect(best.pictures(of: count + 1).map(\.frame) == [3])
  }

  /// The colours of the map encode the place.
  @Test(arguments: [1, 2] as [Float])
  func cropShowsTheSquareAroundTheFaceInItsTrueShape(aspect: Float) throws {
    var best = BestPictures(options)
    try add([face(1, quality: 1)], to: &best, number: 1, aspect: aspect)
    let picture = try #require(best.pictures(of: 1).first)
    // The box has 40 × 20 pixels, or 80 × 20 squares.
    let box = Box(x: 100, y: 70 - 20 * aspect, width: 40, height: 40 * aspect)
    #expect(picture.cropBox == box && picture.imageSize == Self.map.size)
    #expect(picture.crop.size == PixelSize(width: 40, height: 40) && picture.crop.bytes.count == 6400)
    for (x, y) in [(1, 1), (20, 20), (38, 5)] {
      let pixel = picture.crop.bytes[(y * 40 + x) * 4..<(y * 40 + x) * 4 + 4]
      let place = (box.x + (Float(x) + 0.5) * box.width / 40, box.y + (Float(y) + 0.5) * box.height / 40)
      #expect(abs(Float(pixel[pixel.startIndex + 2]) + 0.5 - place.0) <= 1.5)
      #expect(abs(Float(pixel[pixel.startIndex + 1]) + 0.5 - place.1) <= 1.5)
      #expect(pixel[pixel.startIndex + 3] == 255)
    }
  }

  @Test func optionsOutOfRangeAreRefused() {
    for (size, margin) in [(15, 0), (1025, 0), (256, -0.1), (256, 4.1), (256, Float.nan)] as [(Int, Float)] {
      let wrong = adjusted(BestPictureOptions()) { ($0.size, $0.margin) = (size, margin) }
      #expect(throws: Status.self) { try wrong.validate() }
    }
    var stream = adjusted(StreamOptions()) { $0.best = options }
    #expect(throws: Status.self) { try stream.validate() }
    stream.tracking = TrackingOptions()
    #expect(throws: Never.self) { try stream.validate() }
    #expect(stream.searched.outputs == [.quality, .eyes] && stream.detection.outputs.isEmpty)
    stream.check = CheckOptions()
    #expect(throws: Status.self) { try stream.validate() }
  }
}
