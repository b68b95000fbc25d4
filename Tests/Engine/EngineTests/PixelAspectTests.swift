import Engine
import FaceCore
import TestSupport
import Testing

/// Pictures whose pixels are not square.
@Suite(.needsRealModel, .needsAnalysisModels) final class PixelAspectTests: PhotoSuite {
  /// The photo, stored with pixels of this aspect.
  private func stored(_ aspect: Float) -> Picture {
    let size = photo.size
    return Photo.bilinear(
      photo,
      to: aspect > 1
        ? PixelSize(width: Int(Float(size.width) / aspect), height: size.height)
        : PixelSize(width: size.width, height: Int(Float(size.height) * aspect)))
  }

  private func detect(
    _ picture: Picture, _ aspect: Float,
    _ change: (inout ImageInput, inout DetectionOptions) -> Void = { _, _ in }
  ) throws -> DetectionResult {
    try picture.withView(.bgra) { view throws(Status) in
      var image = ImageInput(.pixels(view))
      image.pixelAspect = aspect
      var options = DetectionOptions()
      options.outputs = [.landmarks, .pose]
      change(&image, &options)
      return try engine.detect(image, options: options)
    }
  }

  private func scaled(_ box: Box, _ x: Float, _ y: Float) -> Box {
    Box(x: box.x * x, y: box.y * y, width: box.width * x, height: box.height * y)
  }

  @Test(arguments: [1.5, 2, 0.5, 1.0667] as [Float]) func faceIsThatOfTheDisplayedPicture(aspect: Float)
    throws
  {
    let expected = try #require(try detect(photo, 1).faces.first)
    let (x, y): (Float, Float) = aspect > 1 ? (aspect, 1) : (1, 1 / aspect)
    let picture = stored(aspect)
    let result = try detect(picture, aspect)
    #expect(result.imageSize == picture.size && result.faces.count == 1)
    let face = try #require(result.faces.first)
    #expect(scaled(face.box, x, y).intersectionOverUnion(expected.box) > 0.9)
    let (pose, expectedPose) = (try #require(face.pose), try #require(expected.pose))
    for (angle, other) in [
      (pose.yaw, expectedPose.yaw), (pose.pitch, expectedPose.pitch), (pose.roll, expectedPose.roll),
    ] { #expect(abs(angle - other) < 2) }
    let points = try #require(face.landmarks).points
    let eyes = abs(try #require(expected.points).leftEye.x - (expected.points?.rightEye.x ?? 0))
    for (point, other) in zip(points, try #require(expected.landmarks).points) {
      #expect(abs(point.x * x - other.x) < 0.06 * eyes && abs(point.y * y - other.y) < 0.06 * eyes)
    }
    let five = try #require(face.points)
    #expect(abs(five.leftEye.x * x - (expected.points?.leftEye.x ?? 0)) < 0.06 * eyes)
  }

  /// The aspect is that of the stored pixels: turned, their height is what their width was.
  @Test func theAspectTurnsWithThePicture() throws {
    let upright = stored(2)
    let turned = Picture(upright.size.height, upright.size.width) { x, y in
      upright[upright.size.width - 1 - y, x]
    }
    let expected = try #require(try detect(upright, 2).faces.first)
    let result = try detect(turned, 0.5) { image, _ in image.orientation = .right }
    #expect(result.imageSize == upright.size)
    let face = try #require(result.faces.first)
    #expect(face.box.intersectionOverUnion(expected.box) > 0.95)
  }

  @Test func regionsAndBoxesAreInThePicturesOwnPixels() throws {
    let picture = stored(2)
    let expected = try #require(try detect(picture, 2).faces.first)
    let box = expected.box
    let region = Box(x: box.x - 20, y: box.y - 40, width: box.width + 40, height: box.height + 80)
    let inside = try detect(picture, 2) { image, _ in image.region = region }
    #expect(try #require(inside.faces.first).box.intersectionOverUnion(box) > 0.85)
    let beside = try detect(picture, 2) { image, _ in
      image.region = Box(x: 0, y: 300, width: 100, height: 150)
    }
    #expect(beside.faces.isEmpty)
    let given = try detect(picture, 2) { _, options in options.boxes = [box] }
    let face = try #require(given.faces.first)
    #expect(abs(face.box.x - box.x) < 0.01 && abs(face.box.width - box.width) < 0.01 && face.pose != nil)
    // The stored width is half of the displayed one.
    let large = try detect(picture, 2) { _, options in options.minFaceSize = box.width + 1 }
    #expect(large.faces.isEmpty)
  }

  @Test func aTrackerFollowsInThePicturesOwnPixels() throws {
    let tracker = try engine.tracker { $0.analysisRate = 5 }
    let picture = stored(2)
    let expected = try #require(try detect(picture, 2).faces.first).box
    for number in 0..<6 {
      let frame = FrameInfo(number: 1, timestamp: 1_000_000_000 + UInt64(number) * 40_000_000)
      let (result, _) = try tracker.track(picture, DetectionOptions(), .bgra, frame) { $0.pixelAspect = 2 }
      let face = try #require(result.faces.first)
      #expect(face.box.intersectionOverUnion(expected) > 0.9)
      #expect(face.isPredicted == (number % 5 != 0) && result.imageSize == picture.size)
    }
  }

  @Test func guidedCheckRefusesAPixelAspect() throws {
    let checker = try engine.makeChecker(CheckOptions(), TrackingOptions(), maxPictureBytes: nil)
    #expect(throws: Status.self) {
      try photo.withView(.bgra) { view throws(Status) in
        var image = ImageInput(.pixels(view))
        image.pixelAspect = 2
        return try checker.checkFrame(image, FrameInfo(number: 1), options: DetectionOptions())
      }
    }
  }
}
