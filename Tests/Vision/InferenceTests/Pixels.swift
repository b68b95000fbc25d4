import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport

/// A picture of four bytes a pixel, at the upper left of an input whose sides are multiples of 32.
struct Pixels {
  let width: Int
  let height: Int
  var bytes: [UInt8]
  var isRedFirst = false
  var mean: SIMD3<Float> = .zero
  var scale: SIMD3<Float> = .one

  var inputWidth: Int { (width + 31) / 32 * 32 }
  var inputHeight: Int { (height + 31) / 32 * 32 }

  enum Kind: CaseIterable { case noise, extremes, smooth }

  init(_ width: Int, _ height: Int, _ kind: Kind, seed: UInt64 = 7) {
    (self.width, self.height) = (width, height)
    var generator = SeededGenerator(seed: seed)
    bytes = (0..<width * height * 4).map { index in
      let noise = UInt8.random(in: 0...255, using: &generator)
      switch kind {
      case .noise: return noise
      case .extremes: return noise < 128 ? 0 : 255
      // As in photos, so that the network's values have their usual size.
      case .smooth:
        let slope = index / 4 % width + index / 4 / width * 2 + index % 4 * 40
        return UInt8((slope % 256 * 15 + Int(noise)) / 16)
      }
    }
  }

  /// A photo of Examples/photos.
  init(photo: String) throws {
    (width, height, bytes) = try Fixture.photo(photo).borrowed { file throws(Status) in
      let picture = try ImageDecoder.decode(file)
      return (picture.bitmap.size.width, picture.bitmap.size.height, Array(picture.bitmap.pixels))
    }
  }

  static func photos() throws -> [Pixels] {
    try ["grace_hopper.jpg", "astronaut.png"].map { try Pixels(photo: $0) }
  }

  func withInput<Result>(_ body: (PixelInput) throws -> Result) throws -> Result {
    try bytes.withUnsafeBufferPointer { bytes in
      try body(
        PixelInput(
          pixels: bytes, stride: width * 4, width: width, height: height, inputWidth: inputWidth,
          inputHeight: inputHeight, isRedFirst: isRedFirst, mean: mean, scale: scale))
    }
  }

  func run(_ network: some Network, _ outputs: [String], _ token: CancellationToken? = nil) throws
    -> [[Float]]
  {
    try withInput { input in
      var input = input
      input.cancellation = token
      return try network.run(input, inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in
        maps.map(\.numbers)
      }
    }
  }
}

extension ModelPackage {
  /// The names of all outputs.
  var blobs: [String] { manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value) }

  func fused(
    _ instructions: InstructionSet = .best, threads: Int = 1, quantised: [UInt8]? = nil
  ) throws(Status) -> FusedNetwork {
    try FusedNetwork(
      graph: graph, weights: weights, quantised: quantised, inputBlob: "in0", outputs: blobs,
      instructions: instructions, threads: threads)
  }

  /// What the loader chooses.
  func loaded(quantised: [UInt8]? = nil, _ precision: Precision = .best) throws(Status) -> any Network {
    try NetworkLoader.load(
      graph: graph, weights: weights, quantised: quantised, precision: precision, inputBlob: "in0",
      outputs: blobs)
  }
}

/// The largest difference, relative to the largest value of each map, which counts as at least one.
func difference(_ ours: [[Float]], _ reference: [[Float]]) -> Float {
  guard ours.map(\.count) == reference.map(\.count) else { return .infinity }
  return zip(ours, reference).reduce(0) { worst, maps in
    let largest = maps.1.reduce(1) { max($0, abs($1)) }
    return zip(maps.0, maps.1).reduce(worst) { worst, pair in
      let distance = abs(pair.0 - pair.1) / largest
      // NaN counts as infinitely far.
      return distance <= worst ? worst : distance.isNaN ? .infinity : distance
    }
  }
}
