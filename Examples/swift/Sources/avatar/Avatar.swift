// avatar PHOTO PICTURE [SIDE]: cuts a square avatar around the only face of a photo, in its middle.
import FaceEngine
import FaceEngineDraw

@main struct Avatar {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { fatalError("usage: avatar PHOTO PICTURE [SIDE]") }
    let side = arguments.count > 3 ? Int(arguments[3]) ?? 300 : 300
    let photo = Image.file(arguments[1])
    do throws(FaceError) {
      let faces = try await FaceEngine.load().faces(in: photo, .landmarks)
      let crop = CropOptions(width: side, height: side, margin: 0.5, overflow: .pad)
      let avatar = try Picture(portraitFrom: photo, of: faces, options: crop)
      try avatar.save(arguments[2])
      print("\(avatar.size.width) × \(avatar.size.height)")
    } catch {
      switch error.code {
      case .notFound: print("there is no face, or no photo: \(error.message)")
      case .failedPrecondition: print("there are several faces: \(error.message)")
      default: print(error)
      }
    }
  }
}
