// Searches one frame again and again in this process, and prints a line of JSON: the median of the processor
// time a search took, medians of its stages, and the faces.
//
//     search MODEL_FOLDER FORMAT WIDTH HEIGHT FILE MAX_SIDE SEARCHES
//
// FORMAT is bgr, bgra, nv12 or jpeg.

import Engine
import FaceCore
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 8, let width = Int(arguments[3]), let height = Int(arguments[4]),
  let maxSide = Int(arguments[6]), let searches = Int(arguments[7]), let file = fopen(arguments[5], "rb")
else {
  fputs("usage: search MODEL_FOLDER bgr|bgra|nv12|jpeg WIDTH HEIGHT FILE MAX_SIDE SEARCHES\n", stderr)
  exit(2)
}
fseek(file, 0, SEEK_END)
let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ftell(file), alignment: 64)
rewind(file)
guard fread(bytes.baseAddress, 1, bytes.count, file) == bytes.count else {
  fatalError("cannot read the frame")
}

func nanoseconds(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func median(_ values: [Int64]) -> Double { Double(values.sorted()[values.count / 2]) / 1e6 }

let formats: [String: PixelFormat] = ["bgr": .bgr, "bgra": .bgra, "nv12": .nv12]
var image: ImageInput
if let format = formats[arguments[2]] {
  let view = try ImageView(
    format: format, width: width, height: height, bytes: UnsafeRawBufferPointer(bytes))
  image = ImageInput(.pixels(view))
} else {
  image = ImageInput(.encoded(UnsafeRawBufferPointer(bytes)))
}
let engine = try Engine(modelFolders: [arguments[1]])
var options = DetectionOptions()
options.maxSide = maxSide

let warmUp = 3
var taken: [Int64] = []
var stages: [StageClock.Stage: [Int64]] = [:]
var faces: [Face] = []
for number in 0..<warmUp + searches {
  image.clock = nil
  let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
  faces = try engine.detect(image, options: options).faces
  let end = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
  let clock = StageClock { .nanoseconds(nanoseconds(CLOCK_THREAD_CPUTIME_ID)) }
  image.clock = clock
  _ = try engine.detect(image, options: options)
  guard number >= warmUp else { continue }
  taken.append(end - start)
  for (stage, time) in clock.takeTimes() { stages[stage, default: []].append(time.nanoseconds) }
}
let parts = stages.map { "\"\($0.key)\": \(median($0.value))" }.sorted().joined(separator: ", ")
let found = faces.map { face in
  "[\(face.box.x), \(face.box.y), \(face.box.width), \(face.box.height), \(face.confidence)]"
}
print(
  "{\"milliseconds\": \(median(taken)), \"stages\": {\(parts)}, \"faces\": [\(found.joined(separator: ", "))]}"
)
