import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// Every network that we ship and the fused kernels know, compared with ncnn.
@Suite struct ShippedNetworkTests {
  /// A package, and sizes of pictures for it. The sides of the mesh are fixed.
  struct Subject: CustomTestStringConvertible, Sendable {
    let name: String
    let sizes: [SIMD2<Int>]
    var testDescription: String { name }

    func pixels(_ input: ModelManifest.Input) -> [Pixels] {
      sizes.map { size in
        var pixels = Pixels(size.x, size.y, .smooth)
        pixels.isRedFirst = true
        (pixels.mean, pixels.scale) = (SIMD3(input.mean), SIMD3(input.scale))
        return pixels
      }
    }
  }

  static let subjects = [
    Subject(
      name: "yunet", sizes: [SIMD2(61, 91), SIMD2(317, 219), SIMD2(29, 27), SIMD2(640, 384), SIMD2(96, 512)]),
    Subject(name: "facemesh", sizes: [SIMD2(256, 256)]),
    Subject(name: "centerface", sizes: [SIMD2(32, 32), SIMD2(61, 91), SIMD2(416, 224)]),
  ]

  @Test(.needsNcnn, arguments: subjects) func outputsAgreeWithNcnnToFiveDigits(subject: Subject) throws {
    guard let package = try RealModel.fetched(subject.name) else { return }
    let ncnn = try NcnnPlugin.network(package)
    for pixels in subject.pixels(package.manifest.input) {
      let reference = try pixels.run(ncnn, package.blobs)
      for instructions in InstructionSet.allCases where instructions.isAvailable {
        let ours = try pixels.run(package.fused(instructions), package.blobs)
        #expect(difference(ours, reference) <= 1e-5, "\(instructions), \(pixels.width)×\(pixels.height)")
      }
    }
  }

  /// The sums in a row are the same whichever thread computes it.
  @Test(arguments: subjects) func threadsDoNotChangeABit(subject: Subject) throws {
    guard let package = try RealModel.fetched(subject.name) else { return }
    for pixels in subject.pixels(package.manifest.input) {
      let alone = try pixels.run(package.fused(), package.blobs)
      for threads in 2...5 {
        let isEqual = try pixels.run(package.fused(threads: threads), package.blobs) == alone
        #expect(isEqual, "\(pixels.width)×\(pixels.height), \(threads) threads")
      }
    }
  }

  @Test(arguments: subjects.map(\.name) + ["blendshapes"])
  func fusedKernelsRunEveryShippedNetwork(name: String) throws {
    guard let package = try RealModel.fetched(name) else { return }
    #expect(try package.loaded().runtime.hasPrefix("fused kernels, "))
  }

  /// The mesh network ends in one pixel, which only one size gives.
  @Test func theMeshTakesOneSize() throws {
    guard let package = try RealModel.fetched("facemesh") else { return }
    let network = try package.fused()
    for (width, height) in [(512, 512), (256, 512), (128, 128)] {
      expectFailure(.invalidArgument, "256×256") {
        try network.values(height: height, width: width, package.blobs)
      }
    }
  }
}

/// How the default detector is run.
@Suite(.needsRealModel) struct FusedNetworkTests {
  private let package: ModelPackage
  private let network: FusedNetwork

  init() throws {
    package = try RealModel.package()
    network = try package.fused()
  }

  /// The run polls between rows, and the workspace of a run that ended serves the next one.
  @Test(arguments: [1, 3]) func cancelledRunEndsAndItsWorkspaceIsReused(threads: Int) throws {
    let network = try package.fused(threads: threads)
    let pixels = Pixels(1024, 512, .smooth)
    let whole = try pixels.run(network, package.blobs)
    let canceller = Canceller()
    let token = CancellationToken(canceller: canceller)
    #expect(try pixels.run(network, package.blobs, token) == whole)
    canceller.cancel()
    #expect(throws: Canceller.status) { try pixels.run(network, package.blobs, token) }
    #expect(try pixels.run(network, package.blobs) == whole)
  }

  @Test(arguments: [false, true]) func aTensorGivesWhatItsPixelsGive(isRedFirst: Bool) throws {
    var pixels = Pixels(150, 90, .smooth)
    (pixels.isRedFirst, pixels.mean, pixels.scale) = (isRedFirst, SIMD3(104, 117, 123), SIMD3(1, 0.5, 2))
    let direct = try pixels.run(network, package.blobs)
    let tensor = try pixels.withInput { try network.values(Tensor($0), package.blobs) }
    #expect(direct.map(\.count) == tensor.map(\.count))
    for (one, other) in zip(direct.joined(), tensor.joined()) {
      guard abs(one - other) <= 1e-5 * max(1, abs(other)) else {
        throw Status(.internal, "\(one) is not \(other)")
      }
    }
  }

  /// Runs are nested, so that several workspaces of several sizes are in use at once, repeatedly.
  @Test func concurrentRunsOfSeveralSizesAreIndependent() throws {
    func run(_ sizes: ArraySlice<(width: Int, height: Int)>) throws(Status) -> [[[Float]]] {
      guard let size = sizes.first else { return [] }
      let tensor = try Tensor(channels: 3, height: size.height, width: size.width)
      for (index, _) in tensor.values.enumerated() { tensor.values[index] = Float(index * 7 % 255) }
      return try network.run(tensor, inputBlob: "in0", outputs: package.blobs) { (maps) throws(Status) in
        let before = maps.map(\.numbers)
        let others = try run(sizes.dropFirst())
        // The outputs of this run are still there after the others.
        #expect(maps.map(\.numbers) == before)
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
    func run(_ side: Int) throws { try network.values(height: side, width: side, package.blobs) }
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

  @Test func invalidInputsAreRefused() throws {
    for (width, height) in [(33, 32), (32, 48), (16, 16), (32, 16416)] {
      expectFailure(.invalidArgument, "multiples of 32") {
        try network.values(height: height, width: width, package.blobs)
      }
    }
    expectFailure(.invalidArgument) { try network.values(channels: 1, height: 32, width: 32, package.blobs) }
    for (input, output) in [("other", "out0"), ("in0", "other")] {
      expectFailure(.failedPrecondition, "\"other\"") {
        try network.values(height: 32, width: 32, input: input, [output])
      }
    }
    for threads in [-1, 0, 17, .max] { #expect(throws: Status.self) { try package.fused(threads: threads) } }
  }
}
