import FaceCore
import Foundation
import GuidedCheck
import Testing

/// A person before a camera of 640 × 480 pixels and 30 frames a second, and a clock that advances with the
/// frames.
///
/// With the standard options the circle is at (320, 240) with a radius of 192.
final class Script {
  var check: GuidedCheck
  /// The time between frames.
  var interval: TimeSpan = .nanoseconds(33_333_333)
  private(set) var time: TimeSpan = .microseconds(1)
  private(set) var last: GuidedCheck.Step?
  let size = PixelSize(width: 640, height: 480)

  init(_ options: CheckOptions = CheckOptions(), seed: UInt64 = 7) throws {
    try options.validate()
    check = GuidedCheck(options, seed: seed)
  }

  /// The new events of one frame: names of states and tips, "clear", "result" and codes of failures; draw is
  /// left out.
  @discardableResult
  func frame(_ faces: [Face], brightness: Float? = 0.5) throws -> [String] {
    time += interval
    let step = try check.step(
      GuidedCheck.Frame(time: time.nanoseconds, imageSize: size, faces: faces, brightness: brightness))
    last = step
    return Script.said(step)
  }

  /// The new events of `seconds` of frames; none after the one that ends the check.
  @discardableResult
  func frames(_ seconds: Double, _ faces: [Face], brightness: Float? = 0.5) throws -> [String] {
    var said: [String] = []
    for _ in 0..<Int((seconds / interval.seconds).rounded()) {
      let new = try frame(faces, brightness: brightness)
      said += new
      if new.last == "result" || new.last?.hasPrefix("failed ") == true { break }
    }
    return said
  }

  /// Sends a right face until the check has begun.
  func begin(_ face: Face = Script.face()) throws {
    for _ in 0..<200 where try frame([face]).contains("checking") { return }
    Issue.record("the check does not begin")
  }

  static func said(_ step: GuidedCheck.Step) -> [String] {
    var said: [String] = []
    for event in step.report.events {
      switch event {
      case .status(let state): said.append("\(state.name)")
      case .tip(let tip): said.append("tip \(tip.name)")
      case .draw: break
      case .clear: said.append("clear")
      case .failed(let failure): said.append("failed \(failure.code)")
      case .result: Issue.record("the machine has no pictures")
      }
    }
    return said + (step.isFinished ? ["result"] : [])
  }

  /// A face that is right, except for the given values.
  static func face(
    x: Float = 320, y: Float = 240, side: Float = 240, id: UInt64 = 1, yaw: Float = 0, pitch: Float = 0,
    roll: Float = 0, leftEye: Float = 0.95, rightEye: Float = 0.95, smile: Float = 0.1, mouth: Float = 0,
    quality: Float = 0.8, sharpness: Float = 0.6, depth: Float = 1
  ) -> Face {
    var face = Face(
      box: Box(x: x - side * 0.4, y: y - side / 2, width: side * 0.8, height: side), confidence: 0.9,
      points: nil)
    face.track = Track(id: id, frameCount: 1)
    face.pose = Pose(yaw: yaw, pitch: pitch, roll: roll)
    face.landmarks = .head(x: x, y: y, side: side, yaw: yaw, pitch: pitch, depth: depth)
    face.eyes = Eyes(leftOpen: leftEye, rightOpen: rightEye)
    face.mouth = Mouth(smile: smile, open: mouth)
    face.quality = CaptureQuality(
      overall: quality, sharpness: sharpness, exposure: 1, size: 1, pose: 1, framing: 1)
    return face
  }
}

extension Script {
  /// A check of these actions that has begun, whose tips are shown at once.
  static func checking(
    _ actions: [CheckAction], seed: UInt64 = 7, attempt: UInt32 = 1,
    _ change: (inout CheckOptions) -> Void = { _ in }
  ) throws -> Script {
    let script = try Script(
      .with { options in
        (options.actions, options.tipTime) = (actions, .zero)
        change(&options)
      }, seed: seed)
    if attempt > 1 { script.check.restart(attempt: attempt) }
    try script.begin()
    try script.frames(0.2, [Script.face()])
    return script
  }
}

extension Landmarks {
  /// Points on the front half of an ellipsoid, turned and seen from in front.
  /// - Parameter depth: 1 for a head's, 0 for that of a photo.
  static func head(x: Float, y: Float, side: Float, yaw: Float, pitch: Float, depth: Float) -> Landmarks {
    let (yaw, pitch) = (yaw * .pi / 180, pitch * .pi / 180)
    let points = (0..<count).map { index in
      // Evenly on a disc: by the golden angle.
      let (radius, angle) = (((Float(index) + 0.5) / Float(count)).squareRoot(), Float(index) * 2.399963)
      let (right, down) = (0.4 * radius * cos(angle), 0.5 * radius * sin(angle))
      let near = 0.5 * depth * (1 - radius * radius).squareRoot()
      let (lower, nearer) = (down * cos(pitch) - near * sin(pitch), near * cos(pitch) + down * sin(pitch))
      return Point3D(
        x: x + side * (right * cos(yaw) + nearer * sin(yaw)), y: y + side * lower,
        z: side * (right * sin(yaw) - nearer * cos(yaw)))
    }
    return Landmarks(points: points, confidence: 1)
  }
}

extension CheckOptions {
  static func with(_ change: (inout CheckOptions) -> Void) -> CheckOptions {
    var options = CheckOptions()
    change(&options)
    return options
  }
}
