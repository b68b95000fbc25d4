import Engine
import FaceCore
import TestSupport
import Testing

/// The sample photos, turned: the detector's points hardly follow a tilted head, those of the mesh do.
@Suite(.needsRealModel, .needsAnalysisModels) final class TiltedHeadTests: EngineSuite {
  private func face(
    _ photo: Picture, turned degrees: Int, _ rotations: Rotations = .upright, _ accuracy: Accuracy = .balanced
  ) throws -> Face {
    var options = DetectionOptions()
    options.outputs = [.landmarks, .pose]
    (options.rotations, options.accuracy) = (rotations, accuracy)
    let faces = try engine.detect(Photo.turned(photo, clockwise: degrees), options).faces
    #expect(faces.count == 1, "\(degrees)°")
    return try #require(faces.first)
  }

  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"])
  func theFivePointsAreTheMeshsAndFollowTheTilt(name: String) throws {
    let photo = try Photo.picture(name)
    let upright = try #require(try face(photo, turned: 0).pose).roll
    for degrees in stride(from: -45, through: 45, by: 15) {
      let face = try face(photo, turned: degrees)
      let points = try #require(face.points)
      #expect(FivePoints(try #require(face.landmarks)) == points)
      let roll = try #require(face.pose).roll
      #expect(Photo.difference(roll, upright + Float(degrees)) <= 5, "\(degrees)°: \(roll)")
      // The aligned crop is level, since it turns the face back.
      let crop = try AlignedCrop().toImage(points)
      let (from, to) = (crop(Point(x: 0, y: 0)), crop(Point(x: 100, y: 0)))
      #expect(Photo.difference(Photo.angle(from, to), roll) <= 3, "\(degrees)°")
    }
  }

  /// The returned points are the mesh's whatever output is requested; without one, they are the detector's.
  @Test func everyMeshOutputReplacesTheDetectorsPoints() throws {
    let photo = try Photo.picture("astronaut.png")
    func points(_ outputs: FaceOutputs) throws -> FivePoints? {
      let options = adjusted(DetectionOptions()) { $0.outputs = outputs }
      return try engine.detect(photo, options).faces.first?.points
    }
    let (mesh, pose, quality) = (try points(.landmarks), try points(.pose), try points(.quality))
    let detector = try points([])
    #expect(mesh != nil && mesh == pose && mesh == quality && mesh != detector)
  }

  /// Every angle is found, with a box where the face is.
  @Test(arguments: ["astronaut.png", "grace_hopper.jpg"])
  func headsOfAnyRollAreFound(name: String) throws {
    let photo = try Photo.picture(name)
    let upright = try face(photo, turned: 0)
    let roll = try #require(upright.pose).roll
    for degrees in stride(from: 0, to: 360, by: 15) {
      let face = try face(photo, turned: degrees, .any)
      #expect(
        Photo.difference(try #require(face.pose).roll, roll + Float(degrees)) <= 5, "\(degrees)°")
      #expect(FivePoints(try #require(face.landmarks)) == face.points)
      let place = Photo.turned(upright.box.center, of: photo, clockwise: degrees)
      #expect(face.box.holds(place) && face.box.meanSide < 1.6 * upright.box.meanSide, "\(degrees)°")
      #expect(face.box.meanSide > 0.7 * upright.box.meanSide, "\(degrees)°")
    }
  }

  /// The other accuracies search the turned picture in their own way.
  @Test(.needsCenterFace, arguments: [Accuracy.low, .high])
  func headsOfAnyRollAreFoundAtEveryAccuracy(accuracy: Accuracy) throws {
    let photo = try Photo.picture("grace_hopper.jpg")
    let roll = try #require(try face(photo, turned: 0).pose).roll
    for degrees in [45, 90, 180, 285] {
      let found = try face(photo, turned: degrees, .any, accuracy)
      #expect(Photo.difference(try #require(found.pose).roll, roll + Float(degrees)) <= 5, "\(degrees)°")
    }
  }

  /// The mean roll of the two would be that of neither.
  @Test(arguments: [90, 180, 270]) func anUprightHeadBesideATiltedOneIsFound(degrees: Int) throws {
    let photo = try Photo.picture("astronaut.png")
    let (other, width) = (Photo.turned(photo, clockwise: degrees), photo.size.width)
    let both = Picture(width + other.size.width, max(photo.size.height, other.size.height)) { x, y in
      x < width
        ? photo[x, min(y, photo.size.height - 1)] : other[x - width, min(y, other.size.height - 1)]
    }
    let options = adjusted(DetectionOptions()) { $0.rotations = .any }
    let faces = try engine.detect(both, options).faces
    let upright = try face(photo, turned: 0).box.center
    let turned = Photo.turned(upright, of: photo, clockwise: degrees)
    for place in [upright, Point(x: turned.x + Float(width), y: turned.y)] {
      #expect(faces.filter { $0.box.holds(place) }.count == 1, "\(faces.map(\.box))")
    }
  }

  /// Upright heads are found as without the option, and a picture without a face stays without one.
  @Test func uprightHeadsAreFoundAsWithoutTheOption() throws {
    var options = DetectionOptions()
    for name in ["astronaut.png", "grace_hopper.jpg"] {
      try Photo.picture(name).withView(.bgra) { view throws(Status) in
        options.rotations = .upright
        let upright = try engine.detect(ImageInput(.pixels(view)), options: options)
        options.rotations = .any
        let any = try engine.detect(ImageInput(.pixels(view)), options: options)
        #expect(upright.faces.map(\.confidence) == any.faces.map(\.confidence))
        for (one, other) in zip(upright.faces, any.faces) {
          #expect(one.box.intersectionOverUnion(other.box) > 0.999)
        }
      }
    }
    options.rotations = .any
    for picture in [Picture.noise(640, 480, seed: 5), Picture.noise(300, 16, seed: 6)] {
      let faces = try engine.detect(picture, options).faces
      #expect(faces.isEmpty)
    }
  }

  /// Sessions follow with the detector alone, and with the mesh between two searches.
  @Test(arguments: [FaceOutputs(), .pose])
  func headsOfAnyRollAreFollowed(outputs: FaceOutputs) throws {
    let options = adjusted(DetectionOptions()) { ($0.rotations, $0.outputs) = (.any, outputs) }
    let tracker = try engine.tracker()
    let photo = try Photo.picture("astronaut.png")
    for frame in 0..<5 {
      let (result, left) = try tracker.track(Photo.turned(photo, clockwise: 180), options)
      #expect(result.faces.map(\.track) == [Track(id: 1, frameCount: UInt32(frame + 1))] && left.isEmpty)
    }
  }
}
