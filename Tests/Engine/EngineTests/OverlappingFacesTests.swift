import Engine
import FaceCore
import TestSupport
import Testing

/// Two people, one before the other, whose boxes overlap.
@Suite(.needsRealModel) struct OverlappingFacesTests {
  /// A search averages boxes and lets the means overlap half as much again as the options say; so do the frames
  /// between two searches.
  /// - Parameter shift: between the faces, in sides of their box.
  @Test(arguments: [Float(0.5), 0.55, 0.6]) func everyFrameShowsBoth(shift: Float) throws {
    let engine = try Engine.yunet()
    func detect(_ picture: Picture) throws -> [Face] {
      try engine.detect(picture).faces
    }
    let photo = try Photo.picture("astronaut.png")
    let box = try #require(try detect(photo).first).box
    let (dx, dy) = (-Int(box.width * shift), Int(box.height * shift))
    let picture = Picture(480, 480) { x, y in
      let across = (Float(x - dx) - box.center.x) / box.width
      let down = (Float(y - dy) - box.center.y) / box.height
      return across * across + down * down < 0.25 ? photo[x - dx, y - dy] : photo[x, y]
    }
    let both = try detect(picture)
    try #require(both.count == 2)
    var options = DetectionOptions()
    options.overlapThreshold = both[0].box.intersectionOverUnion(both[1].box) / 1.22
    let tracker = try engine.tracker()
    for frame in 0..<6 {
      let faces = try tracker.track(picture, options).result.faces
      #expect(faces.count == 2, "frame \(frame)")
    }
  }
}
