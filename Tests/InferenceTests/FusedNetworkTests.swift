import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// The fused kernels beside ncnn: the same numbers from the same files.
@Suite(.needsRealModel) struct FusedNetworkTests {
  private let package: ModelPackage
  private let input: String
  private let outputs: [String]

  init() throws {
    package = try RealModel.package()
    input = package.manifest.input.blob
    outputs = package.manifest.outputs.keys.sorted().flatMap { [manifest = package.manifest] in
      manifest.outputs[$0] ?? []
    }
  }

  private func fused(
    _ instructions: InstructionSet = .best, threads: Int = 1
  ) throws -> FusedNetwork {
    try FusedNetwork(
      graph: package.graph, weights: package.weights, inputBlob: input, outputs: outputs,
      instructions: instructions, threads: threads)
  }

  /// What the maps hold, without the gaps between channels.
  private static func values(_ maps: [TensorView]) -> [[Float]] {
    maps.map { map in
      (0..<map.shape.channels).flatMap { channel in
        let start = channel * map.shape.channelStride
        return Array(map.values[start..<start + map.shape.height * map.shape.width])
      }
    }
  }

  private static func difference(_ one: [[Float]], _ other: [[Float]]) -> Float {
    guard one.map(\.count) == other.map(\.count) else { return .infinity }
    return zip(one.joined(), other.joined()).reduce(0) { worst, pair in
      // What is no number is as far as can be.
      let distance = abs(pair.0 - pair.1) / max(1, abs(pair.1))
      return distance <= worst ? worst : distance.isNaN ? .infinity : distance
    }
  }

  /// Smooth with a little noise, as photos are, so that all of the network's values are of a usual size.
  private static func pixels(_ width: Int, _ height: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let random = seed % 2 == 0
    return (0..<width * height * 4).map { index in
      let (pixel, part) = index.quotientAndRemainder(dividingBy: 4)
      let slope = (pixel % width + pixel / width * 2 + part * 40) % 256
      let noise = UInt8.random(in: 0...255, using: &generator)
      return random ? noise : UInt8((slope * 15 + Int(noise)) / 16)
    }
  }

  private static let sizes: [(width: Int, height: Int)] = [
    (32, 32), (64, 32), (32, 96), (160, 128), (320, 320), (416, 224), (96, 512), (640, 384),
  ]

  @Test(arguments: sizes)
  func theOutputsAreNcnnsToTheFifthPlace(size: (width: Int, height: Int)) throws {
    let ncnn = try NcnnNetwork(graph: package.graph, weights: package.weights)
    for seed in [UInt64(1), 2] {
      let content = (width: size.width - Int(seed) * 3, height: size.height - 5)
      let pixels = Self.pixels(content.width, content.height, seed: seed)
      try pixels.withUnsafeBufferPointer { pixels in
        let image = try PixelInput(
          pixels: pixels, stride: content.width * 4, width: content.width, height: content.height,
          inputWidth: size.width, inputHeight: size.height, isRedFirst: false, mean: .zero, scale: .one)
        let reference = try ncnn.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          Self.values(maps)
        }
        for instructions in InstructionSet.allCases where instructions.isAvailable {
          let ours = try fused(instructions).run(image, inputBlob: input, outputs: outputs) {
            (maps) throws(Status) in Self.values(maps)
          }
          #expect(Self.difference(ours, reference) <= 1e-4, "\(instructions), \(size), seed \(seed)")
        }
      }
    }
  }

  /// A row is made by one thread or another, the sums in it are the same.
  @Test(arguments: [2, 3, 4])
  func threadsDoNotChangeABit(threads: Int) throws {
    let alone = try fused()
    let together = try fused(threads: threads)
    for (width, height) in Self.sizes {
      let pixels = Self.pixels(width, height, seed: 3)
      try pixels.withUnsafeBufferPointer { pixels in
        let image = try PixelInput(
          pixels: pixels, stride: width * 4, width: width, height: height, inputWidth: width,
          inputHeight: height, isRedFirst: true, mean: SIMD3(104, 117, 123), scale: SIMD3(1, 0.5, 2))
        let one = try alone.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          Self.values(maps)
        }
        let many = try together.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          Self.values(maps)
        }
        #expect(one == many)
      }
    }
  }

  @Test func aTensorGivesWhatItsPixelsGive() throws {
    let network = try fused()
    for isRedFirst in [false, true] {
      let pixels = Self.pixels(150, 90, seed: 5)
      try pixels.withUnsafeBufferPointer { pixels in
        let image = try PixelInput(
          pixels: pixels, stride: 150 * 4, width: 150, height: 90, inputWidth: 160, inputHeight: 96,
          isRedFirst: isRedFirst, mean: SIMD3(104, 117, 123), scale: SIMD3(1, 0.5, 2))
        let direct = try network.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          Self.values(maps)
        }
        let tensor = try network.run(Tensor(image), inputBlob: input, outputs: outputs) {
          (maps) throws(Status) in Self.values(maps)
        }
        #expect(Self.difference(direct, tensor) <= 1e-5)
      }
    }
  }

  /// Nested, so that several workspaces are in use at once, of several sizes, again and again.
  @Test func runsOfSeveralSizesAtOnceDoNotMeet() throws {
    let network = try fused()
    func run(_ sizes: ArraySlice<(width: Int, height: Int)>) throws(Status) -> [[[Float]]] {
      guard let size = sizes.first else { return [] }
      let tensor = try Tensor(channels: 3, height: size.height, width: size.width)
      for (index, _) in tensor.values.enumerated() { tensor.values[index] = Float(index * 7 % 255) }
      return try network.run(tensor, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
        let before = Self.values(maps)
        let others = try run(sizes.dropFirst())
        // What this run gave is still there after the others.
        #expect(Self.values(maps) == before)
        return [before] + others
      }
    }
    let sizes = [(64, 64), (96, 32), (64, 64), (320, 96)].map { (width: $0.0, height: $0.1) }
    let first = try run(sizes[...])
    #expect(try run(sizes[...]) == first)
    #expect(first[0] == first[2])
  }

  @Test func sizesThatCannotBeAreRefused() throws {
    let network = try fused()
    for (width, height) in [(33, 32), (32, 48), (16, 16), (32, 16416)] {
      let problem = failure { () throws(Status) in
        let tensor = try Tensor(channels: 3, height: height, width: width)
        tensor.values.update(repeating: 0)
        try network.run(tensor, inputBlob: input, outputs: outputs) { (_) throws(Status) in }
      }
      #expect(problem?.code == .invalidArgument)
      #expect(problem?.message.contains("multiples of 32") == true)
    }
    let gray = failure { () throws(Status) in
      let tensor = try Tensor(channels: 1, height: 32, width: 32)
      tensor.values.update(repeating: 0)
      try network.run(tensor, inputBlob: input, outputs: outputs) { (_) throws(Status) in }
    }
    #expect(gray?.code == .invalidArgument)
  }

  @Test func blobsThatAreNotThereAreNamed() throws {
    let network = try fused()
    for (input, output, missing) in [("other", "out0", "\"other\""), (input, "other", "\"other\"")] {
      let problem = failure { () throws(Status) in
        let tensor = try Tensor(channels: 3, height: 32, width: 32)
        tensor.values.update(repeating: 0)
        try network.run(tensor, inputBlob: input, outputs: [output]) { (_) throws(Status) in }
      }
      #expect(problem?.code == .failedPrecondition)
      #expect(problem?.message.contains(missing) == true)
    }
  }

  @Test func theRealNetworkIsTheFusedKernelsToRun() throws {
    let network = try NetworkLoader.load(
      graph: package.graph, weights: package.weights, inputBlob: input, outputs: outputs)
    #expect(network.engine.hasPrefix("fused kernels, "))
  }

  @Test func numbersOfThreadsThatCannotBeAreRefused() {
    for threads in [-1, 0, 17, .max] {
      #expect(throws: Status.self) { try fused(threads: threads) }
    }
  }
}
