// Answers one question per line of standard input for Tests/Benchmarks/network.py, which asks other programs
// in between:
//
//   network ENGINE THREADS WIDTH HEIGHT RUNS   milliseconds of each run: on the clock, then of processors
//   values ENGINE 1 CHANNELS WIDTH RUNS        the same for a network of matrices, on rows of numbers
//   detect FILE WIDTH HEIGHT MAX_SIDE RUNS     as `network`, from the BGR bytes in FILE to faces; then these
//
// ENGINE: ncnn, or an instruction set of the fused kernels ("best", "avx2", …), in integers with ":integers"
// after it. An answer is a line of numbers.
import Engine
import FaceCore
import Glibc
import Inference
import ModelStore
import Posix
import Synchronization

private func milliseconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

/// The networks that were asked for, by engine and threads.
private struct Networks {
  private var loaded: [String: any Network] = [:]
  private let package: ModelPackage
  let input: String
  let outputs: [String]

  init(folder: String) throws {
    package = try ModelPackage(folder: folder)
    input = package.manifest.input.blob
    outputs = package.manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  mutating func network(_ engine: String, threads: Int, isMixer: Bool = false) throws -> any Network {
    if let network = loaded["\(engine) \(threads)"] { return network }
    let network: any Network
    let hasIntegers = engine.hasSuffix(":integers")
    if engine == "ncnn" {
      network = try PluginNetwork(
        graph: package.graph, weights: package.weights, plugin: .named(NetworkPlugin.ncnn))
    } else if isMixer, let instructions = InstructionSet(rawValue: engine) {
      network = try MixerNetwork(
        graph: package.graph, weights: package.weights, inputBlob: input, outputs: outputs,
        instructions: instructions)
    } else if let instructions = InstructionSet(rawValue: hasIntegers ? String(engine.dropLast(9)) : engine) {
      network = try FusedNetwork(
        graph: package.graph, weights: package.weights,
        quantised: hasIntegers ? package.quantised : nil, inputBlob: input, outputs: outputs,
        instructions: instructions, threads: threads)
    } else {
      throw Status(.invalidArgument, "there is no engine \(engine)")
    }
    loaded["\(engine) \(threads)"] = network
    return network
  }
}

/// The same pixels for all engines. Their values make no difference to the time as long as sums do not
/// overflow.
private func withImage(_ width: Int, _ height: Int, _ body: (PixelInput) throws -> Void) throws {
  let pixels = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / width * 3) }
  try pixels.withUnsafeBufferPointer { pixels in
    try body(
      PixelInput(
        pixels: pixels, stride: width * 4, width: width, height: height, inputWidth: width,
        inputHeight: height, isRedFirst: false, mean: .zero, scale: .one))
  }
}

private func timed(_ runs: Int, _ body: () throws -> Void) rethrows -> String {
  var clock: [Double] = []
  var processors: [Double] = []
  for _ in 0..<runs {
    let start = (milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_PROCESS_CPUTIME_ID))
    try body()
    clock.append(milliseconds(CLOCK_MONOTONIC) - start.0)
    processors.append(milliseconds(CLOCK_PROCESS_CPUTIME_ID) - start.1)
  }
  return (clock + processors).map { "\($0)" }.joined(separator: " ")
}

private func run(_ network: any Network, _ image: PixelInput, _ networks: Networks) throws {
  try network.run(image, inputBlob: networks.input, outputs: networks.outputs) { (_) throws(Status) in }
}

/// Points around 0, the same for all engines.
private func values(_ channels: Int, _ width: Int) throws -> Tensor {
  let tensor = try Tensor(channels: channels, height: 1, width: width)
  for channel in 0..<channels {
    for index in 0..<width { tensor.channel(channel)[index] = Float((channel * 7 + index * 3) % 17 - 8) / 5 }
  }
  return tensor
}

/// The one engine, loaded by the first question that needs it: only a detector has one.
private enum Engines {
  private static let engine = Mutex<Engine?>(nil)

  static func shared(_ folder: String) throws -> Engine {
    try engine.withLock { engine in
      if let engine { return engine }
      let loaded = try Engine(modelFolders: [folder])
      engine = loaded
      return loaded
    }
  }
}

private func facesOf(_ file: String, _ width: Int, _ height: Int, maxSide: Int, runs: Int, _ folder: String)
  throws -> String
{
  let bytes = try File.read(file, limit: width * height * 3)
  var options = DetectionOptions()
  options.maxSide = maxSide
  options.minConfidence = 0.6
  var faces: [Face] = []
  let engine = try Engines.shared(folder)
  let times = try bytes.withUnsafeBytes { bytes in
    let view = try ImageView(format: .bgr, width: width, height: height, bytes: bytes)
    return try timed(runs) {
      faces = try engine.detect(ImageInput(.pixels(view)), options: options).faces
    }
  }
  let numbers = faces.flatMap { [$0.box.x, $0.box.y, $0.box.width, $0.box.height, $0.confidence] }
  return times + " faces " + numbers.map { "\($0)" }.joined(separator: " ")
}

guard CommandLine.arguments.count == 2 else {
  throw Status(.invalidArgument, "give the model's folder")
}
private var networks = try Networks(folder: CommandLine.arguments[1])
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  let numbers = words.dropFirst(2).compactMap { Int($0) }
  guard words.count == 6, numbers.count == 4 else {
    throw Status(.invalidArgument, "not a question: \(line)")
  }
  switch words[0] {
  case "network":
    let network = try networks.network(words[1], threads: numbers[0])
    try withImage(numbers[1], numbers[2]) { image in
      print(try timed(numbers[3]) { try run(network, image, networks) })
    }
  case "values":
    let network = try networks.network(words[1], threads: 1, isMixer: true)
    let input = try values(numbers[1], numbers[2])
    print(
      try timed(numbers[3]) {
        try network.run(input, inputBlob: networks.input, outputs: networks.outputs) { (_) throws(Status) in }
      })
  case "detect":
    print(
      try facesOf(
        words[1], numbers[0], numbers[1], maxSide: numbers[2], runs: numbers[3], CommandLine.arguments[1]))
  default: throw Status(.invalidArgument, "not a question: \(line)")
  }
  fflush(nil)
}
