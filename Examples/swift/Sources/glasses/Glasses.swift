// glasses OVERLAY FOLDER FRAME...: draws an overlay on each face of a video, whose frames are picture files:
//
//     ffmpeg -i clip.mp4 frames/%04d.jpg
//     glasses Examples/overlays/glasses.png drawn frames/*.jpg
//     ffmpeg -i drawn/%d.jpg worn.mp4
import FaceEngine
import FaceEngineDraw

@main struct Glasses {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3 else { fatalError("usage: glasses OVERLAY FOLDER FRAME...") }
    let (overlay, folder) = (Image.file(arguments[1]), arguments[2])
    let frames = AsyncStream<Image> { continuation in
      for file in arguments.dropFirst(3) { continuation.yield(.file(file)) }
      continuation.finish()
    }

    let engine = try await FaceEngine.load()
    // A camera's frames would be followed in mode newest, which drops those that come too fast.
    for try await frame in engine.follow(frames, mode: .every, [.transform, .landmarks]) {
      if let error = frame.error {
        print("frame \(frame.number): \(error)")
        continue
      }
      var picture = try Picture(frame.image)
      for face in frame.faces { try picture.draw(overlay: overlay, on: face) }
      try picture.save("\(folder)/\(frame.number).jpg")
      print("frame \(frame.number): \(frame.faces.count) faces")
    }
  }
}
