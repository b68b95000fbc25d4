// What a call of Swift costs beside the same call of C: interleaved, the median of each. A call with an empty list of boxes
// searches nothing.
internal import CFaceEngine
import FaceEngine

let rounds = 20
let callsPerRound = 500
let pixels = [UInt8](repeating: 0, count: 64 * 64)
let image = Image.pixels(pixels, PixelLayout(.gray, width: 64, height: 64))
let options = DetectOptions(boxes: [])
let clock = ContinuousClock()

func microseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func inC(_ engine: OpaquePointer?) -> Double {
  pixels.withUnsafeBytes { bytes in
    microseconds(
      clock.measure {
        for _ in 0..<callsPerRound {
          var image = face_image()
          face_image_init(&image)
          (image.format, image.width, image.height) = (UInt32(FACE_FORMAT_GRAY), 64, 64)
          image.planes.0 = bytes.baseAddress
          image.plane_sizes.0 = bytes.count
          var options = face_options()
          face_options_init(&options)
          options.outputs = FACE_OUTPUT_POSE
          var none = face_box()
          withUnsafePointer(to: &none) {
            options.boxes = $0
            var result: OpaquePointer?
            precondition(face_detect(engine, &image, &options, &result) == FACE_OK)
            precondition(face_result_count(result) == 0)
            face_result_destroy(result)
          }
        }
      }) / Double(callsPerRound)
  }
}

func waiting(_ engine: FaceEngine) throws -> Double {
  microseconds(
    try clock.measure {
      for _ in 0..<callsPerRound {
        let faces = try engine.facesAndWait(in: image, .pose, options: options)
        precondition(faces.isEmpty)
      }
    }) / Double(callsPerRound)
}

@main struct Overhead {
  static func main() async throws {
    var c: OpaquePointer?
    let socket = CommandLine.arguments.dropFirst().first
    let engine: FaceEngine
    if let socket {
      precondition(face_connect(socket, &c) == FACE_OK)
      engine = try await .connect(to: socket)
    } else {
      precondition(face_load_model(nil, &c) == FACE_OK)
      engine = try await .load()
    }
    var (inCalls, waitingCalls, awaitedCalls): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      inCalls.append(inC(c))
      waitingCalls.append(try waiting(engine))
      awaitedCalls.append(
        microseconds(
          try await clock.measure {
            for _ in 0..<callsPerRound {
              let faces = try await engine.faces(in: image, .pose, options: options)
              precondition(faces.isEmpty)
            }
          }) / Double(callsPerRound))
    }
    let (one, two, three) = (median(inCalls), median(waitingCalls), median(awaitedCalls))
    print("C \(one) µs, facesAndWait \(two - one) more, await faces \(three - one) more")
  }
}
