// smiles PHOTO...: says of each face whether it smiles and which eyes are closed, as CIDetector does, with low and with
// high accuracy.
import FaceEngine

@main struct Smiles {
  static func main() async throws {
    let engine = try await FaceEngine.load()
    for path in CommandLine.arguments.dropFirst() {
      for accuracy in [Accuracy.low, .high] {
        do throws(FaceError) {
          let options = DetectOptions(accuracy: accuracy)
          let faces = try await engine.faces(in: .file(path), [.mouth, .eyes], options: options)
          print("\(path), accuracy \(accuracy): \(faces.count) faces")
          // Origin bottom-left, as CIFaceFeature.bounds.
          for face in try faces.converted(to: .pixelsBottomLeft) {
            let smile = face.mouth?.hasSmile == true ? "smiles" : "does not smile"
            let closed = [
              face.eyes?.leftEyeClosed == true ? "left" : nil,
              face.eyes?.rightEyeClosed == true ? "right" : nil,
            ].compactMap(\.self)
            let eyes = closed.isEmpty ? "both eyes open" : "\(closed.joined(separator: " and ")) eye closed"
            print("  at \(Int(face.box.x)) \(Int(face.box.y)): \(smile), \(eyes)")
          }
        } catch { print("\(path): \(error)") }
      }
    }
  }
}
