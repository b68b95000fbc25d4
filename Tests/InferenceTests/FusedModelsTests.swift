import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// Every network that we ship and the fused kernels know, beside ncnn: the same numbers from the same files.
@Suite struct FusedModelsTests {
  /// A package, sizes it takes, and how far its outputs may be from ncnn's, relative to the largest of each.
  struct Subject: CustomTestStringConvertible, Sendable {
    let name: String
    let sizes: [SIMD2<Int>]
    var testDescription: String { name }
  }

  static let subjects = [
    Subject(name: "yunet", sizes: [SIMD2(64, 96), SIMD2(320, 224)]),
    Subject(name: "facemesh", sizes: [SIMD2(256, 256)]),
    Subject(name: "centerface", sizes: [SIMD2(32, 32), SIMD2(64, 96), SIMD2(416, 224)]),
  ]

  private struct Loaded {
    let package: ModelPackage
    var input: String { package.manifest.input.blob }
    var outputs: [String] { package.manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// `nil`, said aloud, where it was not fetched.
    init?(_ name: String) throws {
      let folder = "\(Fixture.repository)/Models/\(name)"
      let problem = failure { () throws(Status) in _ = try ModelPackage(folder: folder) }
      if let problem, problem.code == .notFound {
        print("SKIPPED: \(name) is not fetched: \(problem.message)")
        return nil
      }
      package = try ModelPackage(folder: folder)
    }

    func fused(_ instructions: InstructionSet = .best, threads: Int = 1) throws -> FusedNetwork {
      try FusedNetwork(
        graph: package.graph, weights: package.weights, inputBlob: input, outputs: outputs,
        instructions: instructions, threads: threads)
    }

    /// What the maps hold, without the gaps between channels, on smooth pixels with a little noise.
    func run(_ network: some Network, _ size: SIMD2<Int>) throws -> [[Float]] {
      var generator = SeededGenerator(seed: 7)
      let pixels = (0..<size.x * size.y * 4).map { index in
        let slope = index / 4 % size.x + index / 4 / size.x * 2 + index % 4 * 40
        return UInt8((slope % 256 * 15 + Int(UInt8.random(in: 0...255, using: &generator))) / 16)
      }
      let (mean, scale) = (package.manifest.input.mean, package.manifest.input.scale)
      return try pixels.withUnsafeBufferPointer { pixels in
        let image = try PixelInput(
          pixels: pixels, stride: size.x * 4, width: size.x, height: size.y, inputWidth: size.x,
          inputHeight: size.y, isRedFirst: true, mean: SIMD3(mean[0], mean[1], mean[2]),
          scale: SIMD3(scale[0], scale[1], scale[2]))
        return try network.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          maps.map { map in
            (0..<map.shape.channels).flatMap { channel in
              let start = channel * map.shape.channelStride
              return Array(map.values[start..<start + map.shape.height * map.shape.width])
            }
          }
        }
      }
    }
  }

  /// The largest difference, in the largest value of each map, at least one.
  private static func difference(_ ours: [[Float]], _ reference: [[Float]]) -> Float {
    guard ours.map(\.count) == reference.map(\.count) else { return .infinity }
    return zip(ours, reference).reduce(0) { worst, maps in
      let largest = maps.1.reduce(1) { max($0, abs($1)) }
      return zip(maps.0, maps.1).reduce(worst) { worst, pair in
        let distance = abs(pair.0 - pair.1) / largest
        // What is no number is as far as can be.
        return distance <= worst ? worst : distance.isNaN ? .infinity : distance
      }
    }
  }

  @Test(arguments: subjects) func theOutputsAreNcnnsToTheFifthPlace(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    let ncnn = try NcnnNetwork(graph: loaded.package.graph, weights: loaded.package.weights)
    for size in subject.sizes {
      let reference = try loaded.run(ncnn, size)
      for instructions in InstructionSet.allCases where instructions.isAvailable {
        let ours = try loaded.run(loaded.fused(instructions), size)
        #expect(Self.difference(ours, reference) <= 1e-5, "\(subject.name), \(instructions), \(size)")
      }
    }
  }

  /// A row is made by one thread or another, the sums in it are the same.
  @Test(arguments: subjects) func threadsDoNotChangeABit(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    for size in subject.sizes {
      let alone = try loaded.run(loaded.fused(), size)
      for threads in [2, 3, 5] {
        #expect(
          try loaded.run(loaded.fused(threads: threads), size) == alone, "\(size), \(threads) threads")
      }
    }
  }

  @Test(arguments: subjects) func theFusedKernelsRunIt(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    let network = try NetworkLoader.load(
      graph: loaded.package.graph, weights: loaded.package.weights, inputBlob: loaded.input,
      outputs: loaded.outputs)
    #expect(network.engine.hasPrefix("fused kernels, "))
  }

  /// The mesh ends in one pixel, which only one size does.
  @Test func theMeshTakesOneSize() throws {
    guard let loaded = try Loaded("facemesh") else { return }
    let network = try loaded.fused()
    for size in [SIMD2(512, 512), SIMD2(256, 512), SIMD2(128, 128)] {
      let problem = failure { () throws(Status) in
        let tensor = try Tensor(channels: 3, height: size.y, width: size.x)
        tensor.values.update(repeating: 0)
        try network.run(tensor, inputBlob: loaded.input, outputs: loaded.outputs) { (_) throws(Status) in }
      }
      #expect(problem?.code == .invalidArgument)
      #expect(problem?.message.contains("256×256") == true)
    }
  }

  /// Whatever loads also runs, or says why not.
  @Test(arguments: subjects) func changedGraphsNeverCrash(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    var generator = SeededGenerator(seed: 29)
    var planned = 0
    for _ in 0..<200 {
      var changed = loaded.package.graph
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: 0..<changed.count, using: &generator)
        // A digit for a digit gives texts that are whole and wrong.
        if (48...57).contains(changed[place]) {
          changed[place] = UInt8.random(in: 48...57, using: &generator)
        }
      }
      guard
        let network = try? FusedNetwork(
          graph: changed, weights: loaded.package.weights, inputBlob: loaded.input, outputs: loaded.outputs)
      else { continue }
      planned += 1
      let size = subject.sizes[0]
      let tensor = try Tensor(channels: 3, height: size.y, width: size.x)
      tensor.values.update(repeating: 1)
      _ = try? network.run(tensor, inputBlob: loaded.input, outputs: loaded.outputs) {
        (maps) throws(Status) in
        maps.count
      }
    }
    #expect(planned > 10)
  }
}
