// guided-check PICTURE FRAME...: leads the person in a video, whose frames are picture files, to a good picture, and
// saves it with the face marked. A video that is too short ends without saying "saved" or "failed".
import FaceEngine
import FaceEngineDraw

@main struct GuidedCheck {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { fatalError("usage: guided-check PICTURE FRAME...") }
    let frames = AsyncStream<Image> { continuation in
      for (place, file) in arguments.dropFirst(2).enumerated() {
        var image = Image.file(file)
        image.timestamp = .milliseconds(40 * place + 1)
        continuation.yield(image)
      }
      continuation.finish()
    }
    // The time of a recording is that of its frames. A camera would have actions: [.blink, .turnLeft].
    let options = CheckOptions(
      useTimestamps: true, hold: .milliseconds(400), minFace: 0.1, maxFace: 2, maxOffset: 1)

    let engine = try await FaceEngine.load()
    for try await event in engine.guidedCheck(frames, options: options, mode: .every) {
      switch event.kind {
      case .status: print("\(event.state)")
      case .tip: print("  \(event.text)")
      case .draw, .clear: break  // A preview draws `event.circle`, and its ring by `event.progress`.
      case .frameFailed(let error): print("a frame failed: \(error)")
      case .failed(_, let message): print("failed: \(message)")
      case .result(let result):
        var picture = try Picture(result.picture)
        try picture.draw(event.circle, hollow: true)
        try picture.draw([result.face], style: DrawStyle(marks: [.corners, .points]))
        try picture.save(arguments[1])
        print("saved \(arguments[1])")
      }
    }
  }
}
