import Engine
import FaceCore
import GuidedCheck
import TestSupport
import Testing

import func Foundation.cos
import func Foundation.sin

/// A printed photo that is moved, turned and tilted before a camera does not nod or shake its head.
@Suite(.needsRealModel, .needsAnalysisModels) struct TiltedPhotoTests {
  /// How someone moves the photo: the angles of one swing, there and back.
  private struct Swing {
    var yaw: Double
    var pitch: Double
    var roll: Double
    var shift: Double
    /// The distance of the camera, in widths of the photo.
    var distance: Double

    /// One of each kind.
    static let some = [
      Swing(yaw: 0, pitch: 30, roll: 0, shift: 0, distance: 2),
      Swing(yaw: 30, pitch: 0, roll: 0, shift: 0, distance: 2),
      Swing(yaw: 0, pitch: 45, roll: 5, shift: 0, distance: 4),
      Swing(yaw: 45, pitch: 0, roll: -5, shift: 0.05, distance: 4),
      Swing(yaw: 0, pitch: 0, roll: 25, shift: 0.1, distance: 3),
    ]

    init(yaw: Double, pitch: Double, roll: Double, shift: Double, distance: Double) {
      (self.yaw, self.pitch, self.roll, self.shift, self.distance) = (yaw, pitch, roll, shift, distance)
    }

    init(isNod: Bool, _ generator: inout SeededGenerator) {
      func angle(_ most: Double) -> Double { .random(in: -most...most, using: &generator) }
      self.init(
        yaw: isNod ? angle(5) : 30, pitch: isNod ? 30 : angle(5), roll: angle(15), shift: angle(0.1),
        distance: .random(in: 1.5...4, using: &generator))
    }

    /// Returns what the camera sees when the photo is `part` of the swing away from its rest, -1…1.
    func view(of photo: Picture, _ part: Double) -> Picture {
      let (yaw, pitch) = (part * yaw * .pi / 180, part * pitch * .pi / 180)
      // The photo's axes and its normal in those of the camera.
      let right = SIMD3(cos(yaw), 0, -sin(yaw))
      let down = SIMD3(sin(yaw) * sin(pitch), cos(pitch), cos(yaw) * sin(pitch))
      let normal = SIMD3(sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch))
      let (width, height) = (Double(photo.size.width), Double(photo.size.height))
      let middle = SIMD3(part * shift * width, 0, distance * width)
      return Photo.view(of: photo, photo.size, turned: part * roll, scale: 1) { x, y in
        let ray = SIMD3(x - width / 2, y - height / 2, distance * width)
        let place = ray * ((middle * normal).sum() / (ray * normal).sum()) - middle
        return ((place * right).sum() + width / 2, (place * down).sum() + height / 2)
      }
    }
  }

  private let engine: Engine

  init() throws { engine = try Engine.yunet() }

  /// Returns the faces of the frames of a swing at 10 frames a second.
  private func faces(_ photo: Picture, _ swing: Swing) throws -> [Face] {
    let options = adjusted(DetectionOptions()) { $0.outputs = [.pose, .landmarks] }
    return try (0..<18).compactMap { frame in
      let part = frame < 2 ? 0 : sin(Double(frame - 1) / 16 * 2 * .pi)
      return try swing.view(of: photo, part).withView(.bgra) { view throws(Status) in
        var face = try engine.detect(ImageInput(.pixels(view)), options: options).faces.first
        face?.track = Track(id: 1, frameCount: 1)
        return face
      }
    }
  }

  /// Returns whether a check accepts the frames as the action.
  private func isAccepted(_ faces: [Face], as action: CheckAction, _ size: PixelSize) throws -> Bool {
    var options = CheckOptions.lenient
    (options.actions, options.startDelay, options.grace) = ([action], 0, .seconds(60))
    var check = GuidedCheck(options, seed: 1)
    var done: UInt32 = 0
    // The first frame begins the check, which needs measurements from the second one on.
    for (number, face) in ([faces.first].compactMap(\.self) + faces).enumerated() {
      let step = try check.step(
        GuidedCheck.Frame(
          time: Int64(number + 1) * 100_000_000, imageSize: size, faces: [face], brightness: 0.5))
      done = max(done, UInt32(step.report.actionsDone))
    }
    return done > 0
  }

  /// The samples, with a swing of each kind.
  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"])
  func aTiltedPhotoIsNeither(name: String) throws {
    let photo = try Photo.picture(name)
    for (number, swing) in Swing.some.enumerated() {
      let faces = try faces(photo, swing)
      #expect(faces.count >= 12, "swing \(number)")
      for action in [CheckAction.nod, .shake] {
        #expect(try !isAccepted(faces, as: action, photo.size), "swing \(number), \(action)")
      }
    }
  }

  /// At most one photo in a hundred may be accepted.
  @Test(.enabled(if: LabelledSmiles.areThere, "no labelled photos"))
  func hardlyAnyTiltedPhotoIsAccepted() throws {
    var generator = SeededGenerator(seed: 5)
    var (swings, accepted) = (0, 0)
    let photos = try LabelledSmiles.paths(smiling: false) + LabelledSmiles.paths(smiling: true)
    for (number, path) in photos.enumerated() where LongForm.isOn || number % 12 == 0 {
      let photo = try LabelledSmiles.picture(path)
      for action in [CheckAction.nod, .shake] {
        let faces = try faces(photo, Swing(isNod: action == .nod, &generator))
        swings += 1
        if try isAccepted(faces, as: action, photo.size) { accepted += 1 }
      }
    }
    print("tilted photos accepted as a nod or shake: \(accepted) of \(swings)")
    #expect(swings >= 30 && accepted * 100 <= swings)
  }
}
