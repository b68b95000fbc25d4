/// The positions and directions of the eyes, in the camera's space of `HeadTransform`: centimetres with x to
/// the picture's right, y up and z towards the camera, which is at the origin.
///
/// Its values are x, y, z of the left eye's centre and of its direction, then those of the right eye.
public struct Gaze: Measurement {
  public static let count = 12

  public struct Eye: Equatable, Sendable {
    public var center: SIMD3<Float>
    /// The direction from the centre through the iris; of length 1.
    public var direction: SIMD3<Float>

    public init(center: SIMD3<Float>, direction: SIMD3<Float>) {
      (self.center, self.direction) = (center, direction)
    }
  }

  /// The subject's left eye.
  public var left: Eye
  public var right: Eye

  public init(left: Eye, right: Eye) {
    (self.left, self.right) = (left, right)
  }

  /// - Parameter values: `count` of them.
  public init(values: [Float]) {
    func vector(_ first: Int) -> SIMD3<Float> {
      SIMD3(values[first], values[first + 1], values[first + 2])
    }
    left = Eye(center: vector(0), direction: vector(3))
    right = Eye(center: vector(6), direction: vector(9))
  }

  public var values: [Float] {
    [left, right].flatMap { eye in [eye.center, eye.direction].flatMap { [$0.x, $0.y, $0.z] } }
  }

  /// Returns where the mean of both lines of sight meets a screen: (0, 0) is its upper left corner, (1, 1)
  /// its lower right one, and values beyond that are outside it. `nil` when the eyes do not look towards its
  /// plane.
  public func point(on screen: Screen) -> Point? {
    let from = (left.center + right.center) / 2
    let along = left.direction + right.direction
    let (across, down) = (screen.topRight - screen.topLeft, screen.bottomLeft - screen.topLeft)
    let normal = cross(across, down)
    let distance = dot(screen.topLeft - from, normal) / dot(along, normal)
    guard distance.isFinite, distance > 0 else { return nil }
    let place = from + along * distance - screen.topLeft
    // Also holds where the corner is not a right angle.
    let area = dot(normal, normal)
    return Point(x: dot(cross(place, down), normal) / area, y: dot(cross(across, place), normal) / area)
  }

  /// The cosine of the angle between the mean of both lines of sight and the line to the camera.
  package var cosineToCamera: Float {
    let from = (left.center + right.center) / 2
    let along = left.direction + right.direction
    return -dot(from, along) / (dot(from, from) * dot(along, along)).squareRoot()
  }
}

/// A flat screen in the camera's space: three of its corners, as seen by the person in front of it, in
/// centimetres.
public struct Screen: Equatable, Sendable {
  public var topLeft: SIMD3<Float>
  public var topRight: SIMD3<Float>
  public var bottomLeft: SIMD3<Float>

  public init(topLeft: SIMD3<Float>, topRight: SIMD3<Float>, bottomLeft: SIMD3<Float>) {
    (self.topLeft, self.topRight, self.bottomLeft) = (topLeft, topRight, bottomLeft)
  }

  /// Throws `invalidArgument` if the corners are on one line or a number is not finite.
  public func validate() throws(Status) {
    let normal = cross(topRight - topLeft, bottomLeft - topLeft)
    let area = dot(normal, normal)
    guard area > 0, area.isFinite else {
      throw Status(.invalidArgument, "the screen has no area; give three corners, in centimetres")
    }
  }

  /// A screen below the camera, in its plane: the camera is above the middle of the upper edge. The left
  /// edge, as seen by the person in front of it, is at the picture's right.
  public init(width: Float, height: Float, gap: Float) {
    self.init(
      topLeft: SIMD3(width / 2, -gap, 0), topRight: SIMD3(-width / 2, -gap, 0),
      bottomLeft: SIMD3(width / 2, -gap - height, 0))
  }
}

private func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { (a * b).sum() }

private func cross(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> SIMD3<Float> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
