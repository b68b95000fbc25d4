import FaceCore
import TestSupport
import Testing

/// Compares every conversion with a reference that moves positions one step at a time, on an image whose
/// sides all differ.
@Suite struct CoordinateSpaceTests {
  private static let image = PixelSize(width: 1280, height: 720)
  private static let views: [(Float, Float)] = [(390, 844), (1000, 300), (1280, 720), (33.5, 20)]

  private static func close(_ left: Point, _ right: Point, _ tolerance: Float = 1e-3) -> Bool {
    abs(left.x - right.x) <= tolerance && abs(left.y - right.y) <= tolerance
  }

  private static func close(_ left: Box, _ right: Box, _ tolerance: Float = 1e-3) -> Bool {
    close(Point(x: left.x, y: left.y), Point(x: right.x, y: right.y), tolerance)
      && close(Point(x: left.maxX, y: left.maxY), Point(x: right.maxX, y: right.maxY), tolerance)
  }

  private static var transforms: [ViewTransform] {
    views.flatMap { width, height in
      ViewTransform.Fit.allCases.flatMap { fit in
        QuarterTurn.allCases.flatMap { turn in
          [false, true].map {
            ViewTransform(width: width, height: height, fit: fit, rotation: turn, isMirrored: $0)
          }
        }
      }
    }
  }

  @Test func k1CountsFromTheBottom() throws {
    let vision = try CoordinateSpace.normalisedBottomLeft.conversion(for: Self.image)
    #expect(Self.close(vision.toSpace(Point(x: 320, y: 180)), Point(x: 0.25, y: 0.75)))
    #expect(
      Self.close(
        vision.toSpace(Box(x: 128, y: 72, width: 256, height: 144)),
        Box(x: 0.1, y: 0.7, width: 0.2, height: 0.2)))
    let detector = try CoordinateSpace.pixelsBottomLeft.conversion(for: Self.image)
    #expect(Self.close(detector.toSpace(Point(x: 320, y: 180)), Point(x: 320, y: 540)))
    #expect(
      Self.close(
        detector.toSpace(Box(x: 128, y: 72, width: 256, height: 144)),
        Box(x: 128, y: 504, width: 256, height: 144)))
    let top = try CoordinateSpace.normalised.conversion(for: Self.image)
    #expect(
      Self.close(
        top.toSpace(Box(x: 128, y: 72, width: 256, height: 144)), Box(x: 0.1, y: 0.1, width: 0.2, height: 0.2)
      ))
  }

  @Test func k2GoesBetweenBoxAndImage() throws {
    let box = Box(x: 100, y: 50, width: 80, height: 40)
    #expect(box.toImage(Point(x: 0.25, y: 0.5)) == Point(x: 120, y: 70))
    #expect(box.toRelative(Point(x: 120, y: 70)) == Point(x: 0.25, y: 0.5))
    #expect(box.toImage(Point(x: -0.5, y: 2)) == Point(x: 60, y: 130))
    #expect(Box(x: 1, y: 1, width: 0, height: 5).toRelative(Point(x: 1, y: 1)) == nil)
  }

  /// Point names stay with the subject: the mirrored left eye is nearer the left edge.
  @Test func k3MirrorsPointsAsWellAsTheBox() {
    let mirrored = AffineMap.mirrored(width: 1280)
    let points = FivePoints(
      leftEye: Point(x: 300, y: 200), rightEye: Point(x: 200, y: 210), noseTip: Point(x: 250, y: 250),
      mouthLeft: Point(x: 290, y: 300), mouthRight: Point(x: 210, y: 305))
    let moved = mirrored(points)
    #expect(moved.leftEye == Point(x: 980, y: 200) && moved.rightEye == Point(x: 1080, y: 210))
    #expect(moved.noseTip == Point(x: 1030, y: 250))
    #expect(moved.mouthLeft == Point(x: 990, y: 300) && moved.mouthRight == Point(x: 1070, y: 305))
    #expect(
      mirrored(Box(x: 180, y: 150, width: 140, height: 180)) == Box(x: 960, y: 150, width: 140, height: 180))
  }

  /// Starts at the sensor's pixels: every orientation, mirrored or not, shown by every transform.
  @Test(arguments: Orientation.allCases, [false, true])
  func k4ConvertsFromSensorPixels(orientation: Orientation, isMirrored: Bool) throws {
    let stored = PixelSize(width: 16, height: 9)
    let composed = isMirrored ? orientation.mirrored : orientation
    let upright = orientation.uprightSize(of: stored)
    for transform in Self.transforms {
      let conversion = try CoordinateSpace.view(transform).conversion(for: upright)
      let map = composed.toUpright(stored).then(conversion.toSpace)
      for y in 0..<stored.height {
        for x in 0..<stored.width {
          // First whole pixels by the sentences of EXIF, then a mirror, then the view.
          var pixel = orientation.upright(x: x, y: y, stored: stored)
          if isMirrored { pixel.x = upright.width - 1 - pixel.x }
          let middle = Point(x: Float(pixel.x) + 0.5, y: Float(pixel.y) + 0.5)
          let expected = NaiveView.show(middle, of: upright, in: transform)
          let seen = map(Point(x: Float(x) + 0.5, y: Float(y) + 0.5))
          #expect(Self.close(seen, expected), "\(orientation) \(isMirrored) \(transform) \(x) \(y)")
        }
      }
    }
  }

  @Test func boxesKeepTheirCornersAndAPositiveSize() throws {
    let box = Box(x: 200, y: 100, width: 300, height: 120)
    for transform in Self.transforms {
      let conversion = try CoordinateSpace.view(transform).conversion(for: Self.image)
      let corners = [(200, 100), (500, 100), (200, 220), (500, 220)].map { x, y in
        NaiveView.show(Point(x: Float(x), y: Float(y)), of: Self.image, in: transform)
      }
      let (xs, ys) = (corners.map(\.x).sorted(), corners.map(\.y).sorted())
      let seen = conversion.toSpace(box)
      #expect(seen.width > 0 && seen.height > 0)
      #expect(Self.close(Point(x: seen.x, y: seen.y), Point(x: xs[0], y: ys[0])))
      #expect(Self.close(Point(x: seen.maxX, y: seen.maxY), Point(x: xs[3], y: ys[3])))
    }
  }

  /// A circle drawn over the view is the same circle on the image: its rim goes where its middle goes.
  @Test func k5MapsACircleByTheSameTransform() throws {
    for transform in Self.transforms where transform.fit != .stretch {
      let conversion = try CoordinateSpace.view(transform).conversion(for: Self.image)
      let mask = Circle(center: Point(x: 200, y: 300), radius: 120)
      let onImage = conversion.fromSpace(mask)
      for (dx, dy) in [(1, 0), (0, 1), (-0.6, 0.8)] as [(Float, Float)] {
        let rim = Point(x: mask.center.x + 120 * dx, y: mask.center.y + 120 * dy)
        let moved = conversion.fromSpace(rim)
        let (x, y) = (moved.x - onImage.center.x, moved.y - onImage.center.y)
        #expect(abs((x * x + y * y).squareRoot() / onImage.radius - 1) <= 1e-4, "\(transform)")
      }
      let back = conversion.toSpace(onImage)
      #expect(Self.close(back.center, mask.center) && abs(back.radius - 120) <= 1e-3)
    }
  }

  /// A camera looks at a scene while its device is turned: what is up in the scene is up in the upright
  /// picture.
  @Test(arguments: QuarterTurn.allCases, QuarterTurn.allCases)
  func k6KeepsTheSceneUpright(sensor: QuarterTurn, device: QuarterTurn) {
    for facesUser in [false, true] {
      let orientation = Orientation(sensor: sensor, device: device, facesUser: facesUser)
      // Clockwise from up, as the camera sees it: a device turned clockwise turns a front camera the other
      // way.
      let deviceTurn = Int(facesUser ? -Int(device.rawValue) : Int(device.rawValue))
      // The direction of up in the stored pixels is turned against both the sensor's and the device's turn.
      let upInPixels = ((-Int(sensor.rawValue) - deviceTurn) % 360 + 360) % 360
      let arrow: [Int: (Float, Float)] = [0: (0, -1), 90: (1, 0), 180: (0, 1), 270: (-1, 0)]
      let (dx, dy) = arrow[upInPixels] ?? (0, 0)
      let map = orientation.toUpright(PixelSize(width: 40, height: 30))
      let (from, to) = (map(Point(x: 20, y: 15)), map(Point(x: 20 + dx, y: 15 + dy)))
      #expect(Self.close(Point(x: to.x - from.x, y: to.y - from.y), Point(x: 0, y: -1)))
    }
  }

  @Test func thereAndBackIsTheSamePlace() throws {
    let spaces =
      Self.transforms.map(CoordinateSpace.view) + [
        .pixels, .normalised, .normalisedBottomLeft, .pixelsBottomLeft,
      ]
    for size in [Self.image, PixelSize(width: 8192, height: 4097), PixelSize(width: 16, height: 8192)] {
      for space in spaces {
        let conversion = try space.conversion(for: size)
        var generator = SeededGenerator(seed: 30)
        for _ in 0..<20 {
          let place = Point(
            x: Float.random(in: 0...Float(size.width), using: &generator),
            y: Float.random(in: 0...Float(size.height), using: &generator))
          #expect(Self.close(conversion.fromSpace(conversion.toSpace(place)), place), "\(space) \(place)")
          let box = Box(
            x: place.x / 2, y: place.y / 3, width: Float(size.width) / 4, height: Float(size.height) / 3)
          #expect(Self.close(conversion.fromSpace(conversion.toSpace(box)), box, 2e-3), "\(space) \(box)")
        }
      }
    }
  }

  @Test func conversionOfAFaceMovesBoxPointsAndLandmarks() throws {
    var face = Face(
      box: Box(x: 128, y: 72, width: 256, height: 144), confidence: 0.9,
      points: FivePoints(
        leftEye: Point(x: 320, y: 180), rightEye: Point(x: 160, y: 180), noseTip: Point(x: 240, y: 200),
        mouthLeft: Point(x: 300, y: 220), mouthRight: Point(x: 180, y: 220)))
    face.landmarks = Landmarks(points: [Point3D(x: 640, y: 360, z: -128)], confidence: 1)
    let seen = try CoordinateSpace.normalisedBottomLeft.conversion(for: Self.image).toSpace(face)
    #expect(Self.close(seen.box, Box(x: 0.1, y: 0.7, width: 0.2, height: 0.2)))
    #expect(seen.points.map { Self.close($0.leftEye, Point(x: 0.25, y: 0.75)) } == true)
    #expect(seen.landmarks?.points == [Point3D(x: 0.5, y: 0.5, z: -0.1)])
    #expect(seen.confidence == 0.9)
  }

  @Test func zeroNegativeAndNonFiniteSizesAreRefused() {
    func code(_ space: CoordinateSpace, _ width: Int, _ height: Int) -> StatusCode? {
      failure { () throws(Status) in
        _ = try space.conversion(for: PixelSize(width: width, height: height))
      }?.code
    }
    for (width, height) in [(0, 5), (5, 0), (-1, 5)] {
      #expect(code(.pixels, width, height) == .invalidArgument)
    }
    for (width, height) in [(0, 5), (5, -1), (.nan, 5), (5, .infinity)] as [(Float, Float)] {
      #expect(code(.view(ViewTransform(width: width, height: height)), 640, 480) == .invalidArgument)
    }
    #expect(QuarterTurn(degrees: 45) == nil)
    #expect(QuarterTurn(degrees: -90) == .counterClockwise)
    #expect(QuarterTurn(degrees: 450) == .clockwise)
  }
}

/// The naive reference: one quarter turn after the other, then the mirror, the scale and the shift.
enum NaiveView {
  static func show(_ place: Point, of image: PixelSize, in view: ViewTransform) -> Point {
    var (x, y) = (Double(place.x), Double(place.y))
    var (width, height) = (Double(image.width), Double(image.height))
    for _ in 0..<Int(view.rotation.rawValue) / 90 {
      // Clockwise: the left column becomes the top row, its lower end at the left.
      (x, y) = (height - y, x)
      (width, height) = (height, width)
    }
    if view.isMirrored { x = width - x }
    let (viewWidth, viewHeight) = (Double(view.width), Double(view.height))
    let isWider = width / height > viewWidth / viewHeight
    var (shownWidth, shownHeight) = (viewWidth, viewHeight)
    if view.fit == .contain && isWider || view.fit == .cover && !isWider {
      shownHeight = viewWidth * height / width
    } else if view.fit != .stretch {
      shownWidth = viewHeight * width / height
    }
    return Point(
      x: Float(x / width * shownWidth + (viewWidth - shownWidth) / 2),
      y: Float(y / height * shownHeight + (viewHeight - shownHeight) / 2))
  }
}
