// metadata WIDTH HEIGHT FRAME...: follows the faces of a video, whose frames are picture files, and prints where a
// mirrored view of WIDTH × HEIGHT shows them, as AVCaptureVideoPreviewLayer.transformedMetadataObject(for:) says it.
import FaceEngine

@main struct Metadata {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, let width = Float(arguments[1]), let height = Float(arguments[2]) else {
      fatalError("usage: metadata WIDTH HEIGHT FRAME...")
    }
    let view = Space.view(width: width, height: height, fit: .cover, isMirrored: true)
    let frames = AsyncStream<Image> { continuation in
      for (place, file) in arguments.dropFirst(3).enumerated() {
        var image = Image.file(file)
        image.timestamp = .milliseconds(40 * place)
        continuation.yield(image)
      }
      continuation.finish()
    }

    let engine = try await FaceEngine.load()
    for try await frame in engine.follow(frames, mode: .every, .pose) {
      for face in try frame.faces.converted(to: view) {
        guard let id = face.id else { continue }
        let box = face.box
        let place = "\(Int(box.x)) \(Int(box.y)), \(Int(box.width)) × \(Int(box.height))"
        let angles = face.pose.map { ", roll \(Int($0.roll))°, yaw \(Int($0.yaw))°" } ?? ""
        print("\(frame.image.timestamp): face \(id) at \(place)\(angles)")
      }
      for id in frame.left { print("\(frame.image.timestamp): face \(id) left") }
    }
  }
}
