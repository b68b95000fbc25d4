import FaceCore
import Imaging
import Tracking

/// A face as reported for the last frame, with its pixels in that frame. They show how it has moved since,
/// more exactly than two detections do.
///
/// A detector's box depends on where the face lies in the network's grid and on its scale. Both change
/// between a search of the whole frame and one of a region, so the box of a face that does not move would
/// change as well. A face therefore moves as its pixels do, and each search of a whole frame pulls it towards
/// the box found: the faster it moves, the more. A face that moves fast is placed where it is found, so that
/// its box does not lag.
struct SteadyFace {
  /// The box as reported.
  private let box: Box
  private let points: FivePoints?
  /// The patch of the frame in which it was taken, with its place in that picture.
  private let patch: FacePatch
  private let place: RotatedSquare
  /// The motion from that frame to the last one, in pixels of the patch.
  private let motion: AffineMap

  /// Whether the box comes from a search of the whole frame, not of a region.
  private let isExact: Bool

  /// Speeds in long sides of the box per frame. Below the range a face is still; above it, a face is placed
  /// where it is found.
  private static let paces: ClosedRange<Float> = 0.008...0.025
  /// The fraction of the way to the box found by a search of the whole frame, for a still face.
  private static let stillGain: Float = 0.15
  /// Distances between the box found and the one that the pixels predict, in long sides of the box. Beyond
  /// the range they are not noise.
  private static let noise: ClosedRange<Float> = 0.05...0.1
  /// The movement, in pixels of a patch, from which on another patch is taken.
  private static let maxShift: Float = 1.5

  /// - Parameters:
  ///   - face: the face as reported.
  ///   - isExact: whether the whole frame was searched.
  /// - Returns: `nil` if the picture shows too little.
  init?(_ face: Face, isExact: Bool, in picture: UprightImage) throws(Status) {
    let place = RotatedSquare(around: face.box)
    guard let patch = try FacePatch(of: place, in: picture) else { return nil }
    self.init(face, patch, place, AffineMap(), isExact)
  }

  private init(
    _ face: Face, _ patch: FacePatch, _ place: RotatedSquare, _ motion: AffineMap, _ isExact: Bool
  ) {
    (box, points) = (face.box, face.points)
    (self.patch, self.place, self.motion, self.isExact) = (patch, place, motion, isExact)
  }

  /// Returns the face to report, and its state for the next frame.
  /// - Parameters:
  ///   - found: the same face in the next frame, `picture`, which has the same size.
  ///   - isSearched: whether the whole frame was searched. Only then the box found counts while the face is
  ///     still.
  func steadied(
    _ found: Face, isSearched: Bool, in picture: UprightImage
  ) throws(Status) -> (face: Face, next: SteadyFace?) {
    guard let now = try FacePatch(of: place, in: picture), let moved = patch.motion(in: now, from: motion)
    else {
      return (found, try SteadyFace(found, isExact: isSearched, in: picture))
    }
    let toImage = place.toImage(cropSide: FacePatch.side)
    let step = toImage.inverse.then(motion.inverse).then(moved).then(toImage)
    let expected = box.moved(by: step)
    let weight = weight(of: found.box, expected, step, isSearched: isSearched)
    guard weight < 1 else { return (found, try SteadyFace(found, isExact: isSearched, in: picture)) }
    var face = found
    face.box = expected.mixed(found.box, weight)
    if let points, let detected = found.points {
      face.points = points.map { step($0) }.mixed(detected, weight)
    }
    let centre = Point(x: Float(FacePatch.side) / 2, y: Float(FacePatch.side) / 2)
    guard moved(centre).distance(to: centre) <= SteadyFace.maxShift else {
      return (face, try SteadyFace(face, isExact: isExact, in: picture))
    }
    return (face, SteadyFace(face, patch, place, moved, isExact))
  }

  /// The face in the next frame, `picture`, as far as its pixels alone tell; `nil` if they do not, for
  /// example after a fast move. It keeps its size, since no search corrects errors that would add up.
  func followed(in picture: UprightImage) throws(Status) -> Face? {
    guard let now = try FacePatch(of: place, in: picture), let moved = patch.motion(in: now, from: motion)
    else { return nil }
    let toImage = place.toImage(cropSide: FacePatch.side)
    let step = toImage.inverse.then(motion.inverse).then(moved).then(toImage)
    let center = step(box.center)
    let (x, y) = (center.x - box.center.x, center.y - box.center.y)
    return Face(
      box: Box(x: box.x + x, y: box.y + y, width: box.width, height: box.height), confidence: 0,
      points: points.map { $0.map { Point(x: $0.x + x, y: $0.y + y) } })
  }

  /// A linear ramp: 0 up to the lower end of `range`, 1 from its upper end on.
  private static func share(of value: Float, in range: ClosedRange<Float>) -> Float {
    min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
  }

  /// The weight of the box found relative to the expected one, 0…1.
  private func weight(of found: Box, _ expected: Box, _ step: AffineMap, isSearched: Bool) -> Float {
    let side = max(box.width, box.height)
    let (before, after) = (box.center, step(box.center))
    let turn = (step.xx - 1) * (step.xx - 1) + step.yx * step.yx
    let pace = before.distance(to: after) / side + Float(turn.squareRoot()) / 2
    guard isSearched else { return pace < SteadyFace.paces.upperBound ? 0 : 1 }
    guard isExact else { return 1 }
    let moving = SteadyFace.share(of: pace, in: SteadyFace.paces)
    let distance =
      found.center.distance(to: expected.center)
      + max(abs(found.width - expected.width), abs(found.height - expected.height)) / 2
    return max(SteadyFace.stillGain, moving, SteadyFace.share(of: distance / side, in: SteadyFace.noise))
  }
}

extension Box {
  fileprivate func moved(by step: AffineMap) -> Box {
    let scale = Float(step.areaScale.squareRoot())
    return Box(center: step(center), width: width * scale, height: height * scale)
  }

  fileprivate func mixed(_ other: Box, _ weight: Float) -> Box {
    Box(
      x: x + (other.x - x) * weight, y: y + (other.y - y) * weight,
      width: width + (other.width - width) * weight, height: height + (other.height - height) * weight)
  }
}

extension Point {
  fileprivate func mixed(_ other: Point, _ weight: Float) -> Point {
    Point(x: x + (other.x - x) * weight, y: y + (other.y - y) * weight)
  }
}

extension FivePoints {
  fileprivate func mixed(_ other: FivePoints, _ weight: Float) -> FivePoints {
    FivePoints(
      leftEye: leftEye.mixed(other.leftEye, weight), rightEye: rightEye.mixed(other.rightEye, weight),
      noseTip: noseTip.mixed(other.noseTip, weight), mouthLeft: mouthLeft.mixed(other.mouthLeft, weight),
      mouthRight: mouthRight.mixed(other.mouthRight, weight))
  }
}

extension FacePatch {
  /// The smallest side of a place in pixels of the picture: in smaller ones, noise would look like movement.
  private static let minSide: Float = 12

  /// Returns `nil` for a place that is too small or invalid, or without contrast.
  fileprivate init?(of place: RotatedSquare, in picture: UprightImage) throws(Status) {
    guard place.isVisible(in: picture.size, minSide: FacePatch.minSide) else { return nil }
    let crop = try picture.crop(place, side: FacePatch.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(crop.pixels))
    extendLifetime(crop)
  }
}

extension RotatedSquare {
  /// Returns whether a crop of this place can show a part of the picture: it is finite, has at least `minSide`
  /// pixels a side, and is not far larger than the picture.
  func isVisible(in size: PixelSize, minSide: Float) -> Bool {
    side >= minSide && side <= 4 * Float(size.longSide) && center.x.isFinite && center.y.isFinite
  }
}
