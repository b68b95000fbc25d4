// Searches every frame of a clip, and follows its faces, in one process and turn by turn. Prints a line of
// JSON with the faces of each frame both ways, then one with the processor time that each way took.
//
//     follow MODEL_FOLDER FRAMES WIDTH HEIGHT INTERVAL OUTPUTS TIMES
//
// FRAMES is a file of BGR pixels without gaps, frame after frame; OUTPUTS boxes or landmarks. The frames of a
// clip are timed to its end and back, TIMES times.

import Engine
import FaceCore
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 8, let width = Int(arguments[3]), let height = Int(arguments[4]),
  let interval = Int(arguments[5]), let times = Int(arguments[7]), let file = fopen(arguments[2], "rb")
else {
  fputs("usage: follow MODEL_FOLDER FRAMES WIDTH HEIGHT INTERVAL boxes|landmarks TIMES\n", stderr)
  exit(2)
}

let frameBytes = 3 * width * height
fseek(file, 0, SEEK_END)
let clip = UnsafeMutableRawBufferPointer.allocate(byteCount: ftell(file), alignment: 64)
rewind(file)
guard fread(clip.baseAddress, 1, clip.count, file) == clip.count else { fatalError("cannot read the clip") }
let frames = try (0..<clip.count / frameBytes).map { number in
  let bytes = UnsafeRawBufferPointer(rebasing: clip[number * frameBytes..<(number + 1) * frameBytes])
  return ImageInput(.pixels(try ImageView(format: .bgr, width: width, height: height, bytes: bytes)))
}

let engine = try Engine(modelFolders: [arguments[1]])
var options = DetectionOptions()
if arguments[6] == "landmarks" { options.outputs = .landmarks }
var tracking = TrackingOptions()
tracking.detectionInterval = interval

func json(_ faces: [Face]) -> String {
  "["
    + faces.map { face in
      let box = face.box
      return "[\(face.track?.id ?? 0), \(box.x), \(box.y), \(box.width), \(box.height), \(face.confidence)]"
    }.joined(separator: ", ") + "]"
}

/// The processor time of this thread, on which the engine does all its work.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let tracker = try engine.makeTracker(tracking)
for frame in frames {
  let detected = try engine.detect(frame, options: options).faces
  let followed = try tracker.trackFaces(frame, options: options).result.faces
  print("{\"detected\": \(json(detected)), \"followed\": \(json(followed))}")
}

let thereAndBack = frames + frames.dropFirst().dropLast().reversed()
let timed = try engine.makeTracker(tracking)
var (detecting, following) = (0.0, 0.0)
for _ in 0..<times {
  for frame in thereAndBack {
    let start = processorTime()
    _ = try engine.detect(frame, options: options)
    let between = processorTime()
    _ = try timed.trackFaces(frame, options: options)
    detecting += between - start
    following += processorTime() - between
  }
}
print("{\"frames\": \(times * thereAndBack.count), \"detecting\": \(detecting), \"following\": \(following)}")
