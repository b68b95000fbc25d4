import Engine
import FaceCore
import TestSupport
import Testing

/// The sample photos, turned: the detector's points hardly follow a head that is tilted, the mesh's do.
@Suite(.needsRealModel, .needsAnalysisModels) struct TiltedHeadTests {
  private let engine: Engine

  init() throws {
    engine = try Engine(modelFolder: RealModel.folder)
  }

  private func face(_ photo: Picture, turned degrees: Int) throws -> Face {
    var options = DetectionOptions()
    options.outputs = [.landmarks, .pose]
    let faces = try Photo.turned(photo, clockwise: degrees).withView(.bgra) { view throws(Status) in
      try engine.detect(ImageInput(.pixels(view)), options: options).faces
    }
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
      // The aligned crop is level: it turns the face back.
      let crop = try AlignedCrop().toImage(points)
      let (from, to) = (crop(Point(x: 0, y: 0)), crop(Point(x: 100, y: 0)))
      #expect(Photo.difference(Photo.angle(from, to), roll) <= 3, "\(degrees)°")
    }
  }

  /// The points that are returned are the mesh's, whatever is asked of it; without, they are the detector's.
  @Test func anyOutputOfTheMeshBringsItsPoints() throws {
    let photo = try Photo.picture("astronaut.png")
    func points(_ outputs: FaceOutputs) throws -> FivePoints? {
      var options = DetectionOptions()
      options.outputs = outputs
      return try photo.withView(.bgra) { view throws(Status) in
        try engine.detect(ImageInput(.pixels(view)), options: options).faces.first?.points
      }
    }
    let (mesh, pose, quality) = (try points(.landmarks), try points(.pose), try points(.quality))
    let detector = try points([])
    #expect(mesh != nil && mesh == pose && mesh == quality && mesh != detector)
  }
}
