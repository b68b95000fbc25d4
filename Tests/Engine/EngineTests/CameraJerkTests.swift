import Engine
import FaceCore
import TestSupport
import Testing

import func Foundation.cos
import func Foundation.sin

/// A camera that jerks by a part of the face's height between two frames, in six directions: the face is then
/// far from where its last points were, or at the edge of the region in which it is searched.
@Suite(.needsRealModel, .needsAnalysisModels) final class CameraJerkTests: PhotoSuite {
  /// A view of the photo around its face, which is 111 pixels high there.
  private struct Shot {
    /// Pixels of the photo per pixel of the view, and degrees.
    let scale, turned: Double
    /// By how many heights of the face it jumps.
    let jerk: (x: Double, y: Double)

    func frame(_ number: Int, of photo: Picture) -> Picture {
      let hand = (x: sin(Double(number) * 1.7) * 1.2, y: cos(Double(number) * 1.3) * 1.2)
      let height = number < CameraJerkTests.jerkFrame ? 0.0 : 111
      return Photo.view(of: photo, PixelSize(width: 240, height: 200), turned: turned, scale: scale) {
        (x: $0 + 103 + hand.x - jerk.x * height, y: $1 + 25 + hand.y - jerk.y * height)
      }
    }
  }

  private static let jerkFrame = 4
  private static let shots = [1.5, 2.0, 2.8].flatMap { scale in
    [0.0, 20].flatMap { turned in
      [0.0, 45, 90, 180, 225, 270].flatMap { direction in
        [0.3, 0.45, 0.6, 0.75].map { size in
          let radians = direction * .pi / 180
          return Shot(scale: scale, turned: turned, jerk: (x: cos(radians) * size, y: sin(radians) * size))
        }
      }
    }
  }

  /// Returns the ids in the frames before and after a jerk, and whether the face was followed to its new place.
  private func ids(in shot: Shot, _ outputs: FaceOutputs) throws -> (ids: Set<UInt64>, isFollowed: Bool) {
    let tracking = adjusted(TrackingOptions()) { $0.detectionInterval = 100 }
    let tracker = try engine.makeTracker(tracking)
    let options = adjusted(DetectionOptions()) { $0.outputs = outputs }
    var (ids, faces): (Set<UInt64>, [Face]) = ([], [])
    let pictures = (0..<Self.jerkFrame + 3).map { shot.frame($0, of: photo) }
    for picture in pictures {
      faces = try tracker.track(picture, options).result.faces
      ids.formUnion(faces.compactMap { $0.track?.id })
    }
    let searched = try engine.detect(pictures[pictures.count - 1])
    let expected = try #require(searched.faces.first)
    return (ids, faces.contains { $0.box.intersectionOverUnion(expected.box) > 0.5 })
  }

  /// Of 144 jerks, one may lose the face or end its id: after the largest ones, too, a face is the same only if it
  /// looks like it.
  @Test(arguments: [FaceOutputs(), .landmarks]) func aJerkKeepsTheId(_ outputs: FaceOutputs) throws {
    var changed: [Shot] = []
    for shot in Self.shots {
      let (ids, isFollowed) = try ids(in: shot, outputs)
      if !isFollowed || ids.count != 1 { changed.append(shot) }
    }
    #expect(changed.count <= 1, "\(changed)")
  }
}
