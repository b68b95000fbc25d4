import Detection
import Engine
import FaceCore
import Imaging
import ModelStore
import TestSupport
import Testing

/// The three accuracies on pictures that are composed of the two photos.
@Suite(.needsRealModel, .needsCenterFace) final class HighAccuracyTests: EngineSuite {
  private func detect(_ picture: Picture, _ accuracy: Accuracy, maxSide: Int? = nil) throws -> DetectionResult {
    let options = adjusted(DetectionOptions()) { ($0.accuracy, $0.maxSide) = (accuracy, maxSide) }
    return try engine.detect(picture, options)
  }

  /// The part of Hopper's photo that the face fills, scaled up, and the face's box in it as in the whole
  /// photo.
  private func face(width: Int) throws -> (picture: Picture, box: Box) {
    let hopper = try Photo.picture("grace_hopper.jpg")
    let part = PixelRect(x: 150, y: 90, width: 240, height: 270)
    let picture = Photo.bilinear(
      Picture(part.width, part.height) { x, y in hopper[x + part.x, y + part.y] },
      to: PixelSize(width: width, height: width * part.height / part.width))
    let scale = Float(width) / Float(part.width)
    let box = try #require(try detect(hopper, .balanced).faces.first).box
    return (
      picture,
      Box(
        x: (box.x - Float(part.x)) * scale, y: (box.y - Float(part.y)) * scale, width: box.width * scale,
        height: box.height * scale)
    )
  }

  /// The same face at many sizes: no network sees one that fills its input in full detail. With a maximum side of 0 it
  /// is given all pixels.
  @Test(
    arguments: [(Accuracy.low, nil), (.balanced, nil), (.balanced, 0)], [240, 480, 640, 1000, 2000, 3000])
  func aFaceThatFillsThePictureIsFoundOnceAndWhole(search: (accuracy: Accuracy, maxSide: Int?), width: Int)
    throws
  {
    let (picture, box) = try face(width: width)
    let faces = try detect(picture, search.accuracy, maxSide: search.maxSide).faces
    #expect(faces.count == 1)
    let found = try #require(faces.first)
    #expect(found.confidence > 0.9)
    #expect(found.box.intersectionOverUnion(box) > 0.85)
    let points = try #require(found.points)
    for point in [points.leftEye, points.rightEye, points.noseTip] { #expect(box.holds(point)) }
  }

  /// Tracking searches whole frames in the same way.
  @Test func aFaceThatFillsTheFramesIsFollowedAsOne() throws {
    let (picture, box) = try face(width: 1000)
    let tracker = try engine.tracker()
    for _ in 0..<4 {
      let faces = try tracker.track(picture).result.faces
      #expect(faces.map(\.track?.id) == [1])
      #expect(try #require(faces.first).box.intersectionOverUnion(box) > 0.8)
    }
  }

  /// What one frame misses the next one finds: frames of a stream are searched once, pictures with small faces
  /// twice.
  @Test func aFrameIsSearchedOnce() throws {
    let width = 512 * 14 / 90
    let person = Photo.areas(try Photo.picture("astronaut.png"), side: width)
    let picture = Picture(1024, 512) { x, y in
      let (left, top) = (x % 250, y % 250)
      return x < 1000 && y < 500 && left < width && top < width ? person[left, top] : RGB(120, 130, 140)
    }
    let (twice, once) = (
      try detect(picture, .balanced).faces, try detect(picture, .balanced, maxSide: 1024).faces
    )
    #expect(twice.count == 8 && once != twice)
    let tracked = try engine.tracker().track(picture).result.faces
    // Small faces are doubted in frames, too.
    let prior = SizePrior(side: 40, logitPerHalving: 0.15, doubtPerHalving: 0.4)
    #expect(tracked.count == once.count)
    for face in tracked {
      let same = try #require(
        once.first { $0.box.intersectionOverUnion(face.box) > 0.8 }, "no face at \(face.box)")
      #expect(abs(face.confidence - prior.applied(to: same.confidence, side: face.box.meanSide)) < 0.01)
    }
  }

  /// One face at all sizes on a canvas: its confidence never drops suddenly. The short form takes the sizes
  /// at which passes begin or cease to count.
  @Test(arguments: [(Accuracy.low, 2), (.balanced, 2), (.high, 20)])
  func confidenceIsSteadyAsAFaceGrows(accuracy: Accuracy, step: Int) throws {
    let photo = try Photo.picture("astronaut.png")
    let options = adjusted(DetectionOptions()) { ($0.accuracy, $0.minConfidence) = (accuracy, 0.1) }
    var last: Float?
    for side in stride(from: 40, through: 800, by: step) {
      if !LongForm.isOn && !(180...260).contains(side) && !(400...480).contains(side) {
        last = nil
        continue
      }
      // Pixels of the photo, whose face has a mean side of 101 about (223, 120), for one of the canvas.
      let scale = 101 / Double(side)
      let canvas = try photo.withView(.bgra) { view throws(Status) in
        try UprightImage(ImageInput(.pixels(view))).crop(
          PixelSize(width: 1024, height: 1024),
          toImage: AffineMap(scaleX: scale, scaleY: scale, dx: 223 - 512 * scale, dy: 120 - 512 * scale))
      }
      let faces = try engine.detect(ImageInput(.pixels(try canvas.view)), options: options).faces
      extendLifetime(canvas)
      let face = faces.first { $0.box.holds(Point(x: 512, y: 512)) }
      let confidence = try #require(face, "\(side) pixels").confidence
      if let last {
        #expect(abs(confidence - last) <= 0.1, "\(accuracy), \(side) pixels: \(last), then \(confidence)")
      }
      last = confidence
    }
  }

  /// With a maximum side the network sees the picture at that size only.
  @Test func maxSideLimitsTheSearchToOneSize() throws {
    let (picture, box) = try face(width: 1000)
    let faces = try detect(picture, .balanced, maxSide: 1024).faces
    #expect(!faces.contains { $0.box.intersectionOverUnion(box) > 0.7 })
    #expect(try detect(picture, .balanced, maxSide: 448) == detect(picture, .low))
  }

  /// A face from edge to edge, and six people beside it whose faces are `small` pixels wide.
  private func hugeAndSmall(side: Int, small: Int) throws -> (picture: Picture, huge: Box, small: [Box]) {
    let (face, huge) = try face(width: side * 240 / 270)
    let width = 512 * small / 90
    let astronaut = Photo.areas(try Photo.picture("astronaut.png"), side: width)
    var picture = Picture(side * 3 / 2, side) { x, y in
      x < face.size.width && y < face.size.height ? face[x, y] : RGB(120, 130, 140)
    }
    var boxes: [Box] = []
    for index in 0..<6 {
      let (left, top) = (side * 19 / 20 + index % 2 * width * 2, 100 + index / 2 * width * 2)
      for y in 0..<width { for x in 0..<width { picture[left + x, top + y] = astronaut[x, y] } }
      let scale = Float(width) / 512
      boxes.append(
        Box(
          x: Float(left) + 178 * scale, y: Float(top) + 63 * scale, width: 90 * scale, height: 113 * scale))
    }
    return (picture, huge, boxes)
  }

  /// Neither the distant faces nor the near one may be lost because of the other. `balanced` finds small faces down to
  /// the detail of its input: 16 pixels of this picture are 11 of what the network sees.
  @Test(arguments: [
    (Accuracy.high, 1024, 12), (.high, 1600, 12), (.high, 1024, 16), (.balanced, 1024, 16),
    (.balanced, 1600, 32),
  ])
  func hugeAndSmallFacesAreFoundInOnePicture(accuracy: Accuracy, side: Int, small: Int) throws {
    let (picture, huge, boxes) = try hugeAndSmall(side: side, small: small)
    let faces = try detect(picture, accuracy).faces
    #expect(faces.count == 7)
    for box in boxes { #expect(faces.contains { $0.box.intersectionOverUnion(box) > 0.4 }) }
    #expect(faces.contains { $0.box.intersectionOverUnion(huge) > (accuracy == .high ? 0.8 : 0.85) })
  }

  /// The first call that needs CenterFace loads it, and it stays; but no call may name it.
  @Test func theHelperIsLoadedWhenItIsFirstNeeded() throws {
    let photo = try Photo.picture("astronaut.png")
    func expectUnknown() {
      let named = failure { () throws(Status) in _ = try engine.model(named: "centerface") }
      #expect(named?.code == .notFound && named?.message.hasSuffix("loaded: \"yunet\"") == true)
    }
    #expect(engine.models.map(\.name) == ["yunet"])
    _ = try detect(photo, .balanced)
    #expect(engine.models.map(\.name) == ["yunet"])
    expectUnknown()
    expectFailure(.notFound) { try engine.reloadModels(named: "centerface") }
    _ = try detect(photo, .high)
    #expect(engine.models.map(\.name) == ["yunet", "centerface"])
    expectUnknown()
    try engine.selfTest()
    #expect(try engine.reloadModels(named: "centerface").map(\.name) == ["centerface"])
  }

  /// A result names the helper only if its call ran it: `balanced` does so for doubtful faces and in small
  /// pictures or regions.
  @Test func aResultNamesTheModelsThatItsCallRan() throws {
    let photo = try Photo.picture("astronaut.png")
    let small = Photo.bilinear(photo, to: PixelSize(width: 256, height: 256))
    #expect(try detect(small, .balanced).models.map(\.name) == ["yunet", "centerface"])
    let region = try engine.detect(photo) { $0.region = Box(x: 100, y: 0, width: 256, height: 256) }
    #expect(region.models.map(\.name) == ["yunet", "centerface"] && region.faces.count == 1)
    #expect(try detect(photo, .balanced).models.map(\.name) == ["yunet"])
    #expect(try detect(photo, .high).models.map(\.name) == ["yunet", "centerface"])
  }

  @Test func highAccuracyWithoutAHelperSearchesWithTheModelAlone() throws {
    let folder = try TemporaryFolder()
    let package = try RealModel.package()
    try folder.write("alone/alone.param", package.graph)
    try folder.write("alone/alone.bin", package.weights)
    let alone = try Engine(modelFolders: ["\(folder.path)/alone"])
    let options = adjusted(DetectionOptions()) { $0.accuracy = .high }
    let result = try alone.detect(Photo.picture("grace_hopper.jpg"), options)
    #expect(result.faces.count == 1 && alone.models.map(\.name) == ["alone"])
  }

  @Test(arguments: [(1600, 20), (20, 1600), (300, 300)])
  func anySizeIsAccepted(width: Int, height: Int) throws {
    let strip = Picture(width, height) { x, y in RGB(UInt8(x & 255), UInt8(y & 255), 90) }
    for accuracy in Accuracy.allCases {
      for maxSide in [nil, 64, 16] {
        #expect(try detect(strip, accuracy, maxSide: maxSide).imageSize == strip.size)
      }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test where the weights of CenterFace were not fetched.
  static var needsCenterFace: Self {
    .enabled("the weights of Models/centerface are not fetched") {
      failure { () throws(Status) in
        _ = try ModelPackage(folder: "\(Fixture.repository)/Models/centerface")
      }?.code != .notFound
    }
  }
}
