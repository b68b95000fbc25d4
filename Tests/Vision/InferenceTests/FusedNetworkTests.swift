import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// The values of maps without the gaps between channels.
private func values(_ maps: [TensorView]) -> [[Float]] {
  maps.map { map in
    (0..<map.shape.channels).flatMap { channel in
      let start = channel * map.shape.channelStride
      return Array(map.values[start..<start + map.shape.height * map.shape.width])
    }
  }
}

/// Compares the default detector with ncnn, by instruction set, size and number of threads.
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

  private static func difference(_ one: [[Float]], _ other: [[Float]]) -> Float {
    guard one.map(\.count) == other.map(\.count) else { return .infinity }
    return zip(one.joined(), other.joined()).reduce(0) { worst, pair in
      // NaN counts as infinitely far.
      let distance = abs(pair.0 - pair.1) / max(1, abs(pair.1))
      return distance <= worst ? worst : distance.isNaN ? .infinity : distance
    }
  }

  /// Smooth pixels with a little noise, as in photos, so that the network's values have their usual size.
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

  /// The run polls between rows, and the workspace of a run that ended serves the next one.
  @Test(arguments: [1, 3]) func cancelledRunEndsAndItsWorkspaceIsReused(threads: Int) throws {
    let network = try fused(threads: threads)
    let (width, height) = (1024, 512)
    let pixels = Self.pixels(width, height, seed: 9)
    try pixels.withUnsafeBufferPointer { pixels in
      var image = try PixelInput(
        pixels: pixels, stride: width * 4, width: width, height: height, inputWidth: width,
        inputHeight: height, isRedFirst: false, mean: .zero, scale: .one)
      func run() throws(Status) -> [[Float]] {
        try network.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in values(maps) }
      }
      let whole = try run()
      let canceller = Canceller()
      image.cancellation = CancellationToken(canceller: canceller)
      #expect(try run() == whole)
      canceller.cancel()
      #expect(failure { () throws(Status) in _ = try run() } == Canceller.status)
      image.cancellation = nil
      #expect(try run() == whole)
    }
  }

  private static let sizes: [(width: Int, height: Int)] = [
    (32, 32), (64, 32), (32, 96), (160, 128), (320, 320), (416, 224), (96, 512), (640, 384),
  ]

  @Test(.needsNcnn, arguments: sizes)
  func outputsAgreeWithNcnnToFiveDigits(size: (width: Int, height: Int)) throws {
    let ncnn = try NcnnPlugin.network(package)
    for seed in [UInt64(1), 2] {
      let content = (width: size.width - Int(seed) * 3, height: size.height - 5)
      let pixels = Self.pixels(content.width, content.height, seed: seed)
      try pixels.withUnsafeBufferPointer { pixels in
        let image = try PixelInput(
          pixels: pixels, stride: content.width * 4, width: content.width, height: content.height,
          inputWidth: size.width, inputHeight: size.height, isRedFirst: false, mean: .zero, scale: .one)
        let reference = try ncnn.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          values(maps)
        }
        for instructions in InstructionSet.allCases where instructions.isAvailable {
          let ours = try fused(instructions).run(image, inputBlob: input, outputs: outputs) {
            (maps) throws(Status) in values(maps)
          }
          #expect(Self.difference(ours, reference) <= 1e-4, "\(instructions), \(size), seed \(seed)")
        }
      }
    }
  }

  /// The sums in a row are the same whichever thread computes it.
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
          values(maps)
        }
        let many = try together.run(image, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
          values(maps)
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
          values(maps)
        }
        let tensor = try network.run(Tensor(image), inputBlob: input, outputs: outputs) {
          (maps) throws(Status) in values(maps)
        }
        #expect(Self.difference(direct, tensor) <= 1e-5)
      }
    }
  }

  /// Runs are nested, so that several workspaces of several sizes are in use at once, repeatedly.
  @Test func concurrentRunsOfSeveralSizesAreIndependent() throws {
    let network = try fused()
    func run(_ sizes: ArraySlice<(width: Int, height: Int)>) throws(Status) -> [[[Float]]] {
      guard let size = sizes.first else { return [] }
      let tensor = try Tensor(channels: 3, height: size.height, width: size.width)
      for (index, _) in tensor.values.enumerated() { tensor.values[index] = Float(index * 7 % 255) }
      return try network.run(tensor, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
        let before = values(maps)
        let others = try run(sizes.dropFirst())
        // The outputs of this run are still there after the others.
        #expect(values(maps) == before)
        return [before] + others
      }
    }
    let sizes = [(64, 64), (96, 32), (64, 64), (320, 96)].map { (width: $0.0, height: $0.1) }
    let first = try run(sizes[...])
    #expect(try run(sizes[...]) == first)
    #expect(first[0] == first[2])

    // What they left is freed but for what one run of ordinary size needs.
    _ = try run([(2048, 2048)])
    let most = 8 << 20
    #expect(network.unusedMemory > 2 * most)
    #expect(network.releaseUnusedMemory(beyond: .forOneCall))
    #expect((1...most).contains(network.unusedMemory))
    #expect(try run(sizes[...]) == first)
  }

  /// A release between runs keeps the memory of runs since the last one, and nothing of larger runs before that.
  @Test func memoryOfLargerRunsIsFreedWhileSmallerOnesGoOn() throws {
    let network = try fused()
    func run(_ side: Int) throws {
      let tensor = try Tensor(channels: 3, height: side, width: side)
      _ = try network.run(tensor, inputBlob: input, outputs: outputs) { (maps) throws(Status) in
        values(maps).count
      }
    }
    try run(2048)
    let large = network.unusedMemory
    #expect(!network.releaseUnusedMemory(beyond: .usedSince))
    // The small run takes the memory of the large one.
    try run(64)
    #expect(network.unusedMemory == large)
    #expect(network.releaseUnusedMemory(beyond: .usedSince))
    #expect(network.unusedMemory < large / 2)
    try run(64)
    let small = network.unusedMemory
    #expect((1..<large / 2).contains(small))
    #expect(!network.releaseUnusedMemory(beyond: .usedSince) && network.unusedMemory == small)
  }

  @Test func invalidSizesAreRefused() throws {
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

  @Test func theFusedKernelsRunTheRealNetwork() throws {
    let network = try NetworkLoader.load(
      graph: package.graph, weights: package.weights, inputBlob: input, outputs: outputs)
    #expect(network.runtime.hasPrefix("fused kernels, "))
  }

  @Test func invalidThreadCountsAreRefused() {
    for threads in [-1, 0, 17, .max] {
      #expect(throws: Status.self) { try fused(threads: threads) }
    }
  }
}

/// Compares every network that we ship and the fused kernels know with ncnn.
@Suite struct FusedModelsTests {
  /// A package, the sizes that it takes, and the largest allowed difference of its outputs from ncnn's,
  /// relative to the largest value of each.
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

    /// The package's network; `nil`, with a message, if it was not fetched.
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

    /// The outputs for smooth pixels with a little noise.
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
          values(maps)
        }
      }
    }
  }

  /// The largest difference, relative to the largest value of each map, which counts as at least one.
  private static func difference(_ ours: [[Float]], _ reference: [[Float]]) -> Float {
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

  @Test(.needsNcnn, arguments: subjects) func outputsAgreeWithNcnnToFiveDigits(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    let ncnn = try NcnnPlugin.network(loaded.package)
    for size in subject.sizes {
      let reference = try loaded.run(ncnn, size)
      for instructions in InstructionSet.allCases where instructions.isAvailable {
        let ours = try loaded.run(loaded.fused(instructions), size)
        #expect(Self.difference(ours, reference) <= 1e-5, "\(subject.name), \(instructions), \(size)")
      }
    }
  }

  /// The sums in a row are the same whichever thread computes it.
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

  @Test(arguments: subjects) func fusedKernelsRunEveryShippedNetwork(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    let network = try NetworkLoader.load(
      graph: loaded.package.graph, weights: loaded.package.weights, inputBlob: loaded.input,
      outputs: loaded.outputs)
    #expect(network.runtime.hasPrefix("fused kernels, "))
  }

  /// The mesh network ends in one pixel, which only one size gives.
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

  /// A network that loads also runs, or fails with a status.
  @Test(arguments: subjects) func changedGraphsNeverCrash(subject: Subject) throws {
    guard let loaded = try Loaded(subject.name) else { return }
    var generator = SeededGenerator(seed: 29)
    var planned = 0
    let count = LongForm.choose(200, short: 60)
    for _ in 0..<count {
      var changed = loaded.package.graph
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: 0..<changed.count, using: &generator)
        // Replacing digits by digits gives texts that are complete and wrong.
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
    #expect(planned > count / 20)
  }
}
