// faces-service PORT [SOCKET]: an HTTP service that answers a posted photo with the boxes of its faces, by the engine
// at a socket, or by its own models.
//
//     curl --data-binary @photo.jpg http://127.0.0.1:8080/faces
//     [{"x":176.5,"y":119.5,"width":180.7,"height":217.6,"confidence":0.93}]
import FaceEngine
import Hummingbird

struct FoundFace: ResponseEncodable {
  let x, y, width, height, confidence: Float

  init(_ face: Face) {
    (x, y, width, height) = (face.box.x, face.box.y, face.box.width, face.box.height)
    confidence = face.confidence
  }
}

@main struct Service {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let port = Int(arguments[1]) else {
      fatalError("usage: faces-service PORT [SOCKET]")
    }
    let engine = arguments.count > 2 ? try await FaceEngine.connect(to: arguments[2]) : try await .load()

    let router = Router()
    router.post("faces") { request, _ in
      let photo = try await request.body.collect(upTo: 16 << 20)
      do throws(FaceError) {
        return try await engine.faces(in: .encoded(Array(photo.readableBytesView))).map(FoundFace.init)
      } catch {
        // Another status means that the service is at fault, or busy.
        let isPhotos = error.code == .invalidArgument || error.code == .outOfRange
        throw HTTPError(isPhotos ? .badRequest : .serviceUnavailable, message: error.message)
      }
    }
    let address = BindAddress.hostname("127.0.0.1", port: port)
    try await Application(router: router, configuration: .init(address: address)).runService()
  }
}
