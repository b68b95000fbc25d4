// What a call of Swift costs beside the same call of C, one after the other, and the median of each. An empty list of
// boxes searches nothing. Overhead [SOCKET]
internal import CFaceEngine
import FaceEngine

private let calls = 10_000
private let pixels = [UInt8](repeating: 0, count: 64 * 64)
private let image = Image.pixels(pixels, PixelLayout(.gray, width: 64, height: 64))
private let options = DetectOptions(boxes: [])

private func callC(_ engine: OpaquePointer?) {
  pixels.withUnsafeBytes { bytes in
    var image = face_image()
    face_image_init(&image)
    (image.format, image.width, image.height) = (UInt32(FACE_FORMAT_GRAY), 64, 64)
    (image.planes.0, image.plane_sizes.0) = (bytes.baseAddress, bytes.count)
    var options = face_options()
    face_options_init(&options)
    options.outputs = FACE_OUTPUT_POSE
    var none = face_box()
    withUnsafePointer(to: &none) { none in
      options.boxes = none
      var result: OpaquePointer?
      precondition(face_detect(engine, &image, &options, &result) == FACE_OK)
      precondition(face_result_count(result) == 0)
      face_result_destroy(result)
    }
  }
}

private func wait(_ engine: FaceEngine) throws {
  let faces = try engine.facesAndWait(in: image, .pose, options: options)
  precondition(faces.isEmpty)
}

private func awaitFaces(_ engine: FaceEngine) async throws {
  let faces = try await engine.faces(in: image, .pose, options: options)
  precondition(faces.isEmpty)
}

@main struct Overhead {
  static func main() async throws {
    var c: OpaquePointer?
    let engine: FaceEngine
    if let socket = CommandLine.arguments.dropFirst().first {
      precondition(face_connect(socket, &c) == FACE_OK)
      engine = try await .connect(to: socket)
    } else {
      precondition(face_load_model(nil, &c) == FACE_OK)
      engine = try await .load()
    }
    nonisolated(unsafe) let handle = c
    // Not on the main actor: the engine does not compute on it, and changing threads takes time.
    try await Task.detached {
      let clock = ContinuousClock()
      var times: [[Duration]] = [[], [], []]
      for _ in 0..<calls {
        times[0].append(clock.measure { callC(handle) })
        times[1].append(try clock.measure { try wait(engine) })
        times[2].append(try await clock.measure { try await awaitFaces(engine) })
      }
      let medians = times.map { Double($0.sorted()[calls / 2].components.attoseconds) / 1e12 }
      print(
        "C \(medians[0]) µs; facesAndWait \(medians[1] - medians[0]) more, await faces \(medians[2] - medians[0]) more"
      )
    }.value
    face_release(c)
  }
}
