import FaceCore
import Inference
import ModelStore
import TestSupport
import Testing

/// Networks in eight and 16 bits: the same bits on every instruction set, whatever the picture, and close to floats.
@Suite(.needsRealModel) struct QuantisedNetworkTests {
  private let package: ModelPackage
  private let quantised: [UInt8]

  init() throws {
    package = try RealModel.package()
    quantised = try #require(package.quantised)
  }

  /// The available instruction sets; a message names the missing ones.
  private static let available: [InstructionSet] = {
    #if arch(x86_64)
      let all: [InstructionSet] = [.portable, .sse41, .avx2, .avxVNNI, .avx512, .avx512VNNI]
    #else
      let all: [InstructionSet] = [.portable, .neon, .neonDotProduct]
    #endif
    for instructions in all where !instructions.isAvailable {
      print("SKIPPED: this processor has no \(instructions): its eight-bit kernels were not compared")
    }
    return all.filter(\.isAvailable)
  }()

  private func expectSameBits(_ pixels: Pixels, _ package: ModelPackage, threads: [Int] = [1]) throws {
    let expected = try pixels.run(package.fused(.portable, quantised: package.quantised), package.blobs)
    for instructions in Self.available {
      for threads in threads {
        let network = try package.fused(instructions, threads: threads, quantised: package.quantised)
        // The values themselves are too many to print.
        let isEqual = try pixels.run(network, package.blobs) == expected
        #expect(isEqual, "\(instructions), \(pixels.width)×\(pixels.height), \(threads) threads")
      }
    }
  }

  @Test(arguments: [(32, 32), (61, 32), (32, 90), (352, 288), (224, 160), (128, 512), (800, 40)])
  func noiseGivesTheSameBitsEverywhere(width: Int, height: Int) throws {
    for kind in [Pixels.Kind.noise, .extremes] { try expectSameBits(Pixels(width, height, kind), package) }
  }

  /// CenterFace has residuals and stride-2, transposed and 3×3 convolutions, which YuNet does not; the mesh is in 16
  /// bits.
  @Test(arguments: [
    ("centerface", 32, 32), ("centerface", 61, 95), ("centerface", 352, LongForm.choose(96, short: 32)),
    ("facemesh", 256, 256),
  ])
  func otherNetworksGiveTheSameBitsEverywhere(name: String, width: Int, height: Int) throws {
    let package = try RealModel.package(name)
    for kind in [Pixels.Kind.noise, .extremes] {
      var pixels = Pixels(width, height, kind)
      if name == "facemesh" { (pixels.isRedFirst, pixels.scale) = (true, SIMD3(repeating: 1 / 255)) }
      try expectSameBits(pixels, package, threads: [1, 3])
    }
  }

  @Test func photosGiveTheSameBitsEverywhere() throws {
    for var photo in try Pixels.photos() {
      try expectSameBits(photo, package, threads: [1, 2, 5])
      photo.isRedFirst = true
      try expectSameBits(photo, package)
    }
  }

  /// The network in floats is the reference: cells differ by little, and hardly ever by much.
  @Test(arguments: ["yunet", "centerface"]) func theOutputsAreCloseToThoseOfFloats(name: String) throws {
    let package = try RealModel.package(name)
    let kinds = ["cls", "obj", "heatmap"]
    let scores = package.manifest.outputs.filter { kinds.contains($0.key) }.flatMap(\.value)
    let (floats, whole) = (try package.fused(), try package.fused(quantised: package.quantised))
    for var photo in try Pixels.photos() {
      photo.isRedFirst = package.manifest.input.colour == "rgb"
      let (expected, values) = (try photo.run(floats, scores).joined(), try photo.run(whole, scores).joined())
      let differences = zip(values, expected).map { abs($0 - $1) }
      #expect(differences.reduce(0, +) / Float(differences.count) < 0.01)
      #expect(differences.filter { $0 > 0.2 }.count < differences.count / 1000)
    }
  }

  /// The points of a face by the mesh in 16 bits, in pixels of the square around Grace Hopper's face.
  @Test func pointsAreCloseToThoseOfFloats() throws {
    let package = try RealModel.package("facemesh")
    let photo = try Pixels(photo: "grace_hopper.jpg")
    var crop = Pixels(256, 256, .noise)
    crop.bytes = (60..<60 + 256).flatMap { row in
      photo.bytes[(row * photo.width + 130) * 4..<(row * photo.width + 130 + 256) * 4]
    }
    (crop.isRedFirst, crop.scale) = (true, SIMD3(repeating: 1 / 255))
    let network = try package.fused(quantised: package.quantised)
    #expect(network.runtime.hasSuffix(", 16 bits") && network.isQuantised && !network.readsRows)
    let (floats, whole) = (
      try crop.run(package.fused(), ["out0", "out1"]), try crop.run(network, ["out0", "out1"])
    )
    #expect(floats[0].count == 3 * 478 && floats[1][0] > 5, "there is a face in the crop")
    let differences = zip(floats.joined(), whole.joined()).map { abs($0 - $1) }
    #expect(differences.reduce(0, +) / Float(differences.count) < 0.2)
    #expect(differences.allSatisfy { $0 < 1 })
  }

  /// The inputs that a network of floats would see are rounded to whole bytes.
  @Test func aTensorAndOtherScalesAreSeenAsBytes() throws {
    var pixels = Pixels(96, 64, .noise)
    (pixels.isRedFirst, pixels.mean, pixels.scale) = (true, SIMD3(10, -20, 0.3), SIMD3(1.2, 0.7, 1))
    let network = try package.fused(quantised: quantised)
    let direct = try pixels.run(network, package.blobs)
    #expect(try pixels.withInput { try network.values(Tensor($0), package.blobs) } == direct)
    var rounded = Pixels(96, 64, .noise)
    rounded.isRedFirst = true
    for index in pixels.bytes.indices where index % 4 < 3 {
      let value = (Float(pixels.bytes[index]) - pixels.mean[2 - index % 4]) * pixels.scale[2 - index % 4]
      rounded.bytes[index] = UInt8(min(max(value + 0.5, 0), 255))
    }
    #expect(try rounded.run(network, package.blobs) == direct)
  }

  // MARK: Rows

  /// The rows of `pixels`, up to one that cannot be made.
  private final class Rows: PixelRows {
    static let failure = Status(.internal, "there is no such row")
    let source = UnsafeRawBufferPointer(start: nil, count: 0)
    private let pixels: Pixels
    private let end: Int
    private(set) var read: [Int] = []

    init(_ pixels: Pixels, end: Int = .max) { (self.pixels, self.end) = (pixels, end) }

    func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status) {
      read.append(row)
      guard row < end else { throw Rows.failure }
      let stride = pixels.width * 4
      for (index, byte) in pixels.bytes[row * stride..<(row + 1) * stride].enumerated() {
        target[index] = byte
      }
    }

    func run(_ network: FusedNetwork, _ outputs: [String]) throws(Status) -> [[Float]] {
      let input = try PixelInput(
        rows: self, width: pixels.width, height: pixels.height, inputWidth: pixels.inputWidth,
        inputHeight: pixels.inputHeight, isRedFirst: pixels.isRedFirst, mean: .zero, scale: .one)
      return try network.run(input, inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in
        maps.map(\.numbers)
      }
    }
  }

  @Test(arguments: [false, true]) func rowsGiveTheSameBitsAsPixels(isRedFirst: Bool) throws {
    var pixels = Pixels(331, 187, .noise)
    pixels.isRedFirst = isRedFirst
    let network = try package.fused(quantised: quantised)
    let rows = Rows(pixels)
    let isEqual = try rows.run(network, package.blobs) == pixels.run(network, package.blobs)
    #expect(isEqual && rows.read == Array(0..<187))
  }

  @Test func rowThatCannotBeMadeEndsTheRun() throws {
    let pixels = Pixels(96, 64, .noise)
    let network = try package.fused(quantised: quantised)
    let whole = try Rows(pixels).run(network, package.blobs)
    let rows = Rows(pixels, end: 40)
    #expect(throws: Rows.failure) { try rows.run(network, package.blobs) }
    #expect(rows.read == Array(0...40))
    #expect(try Rows(pixels).run(network, package.blobs) == whole)
  }

  @Test func severalThreadsReadNoRows() throws {
    let network = try package.fused(threads: 2, quantised: quantised)
    #expect(!network.readsRows)
    expectFailure(.invalidArgument) { try Rows(Pixels(32, 32, .noise)).run(network, package.blobs) }
  }

  // MARK: Files

  @Test func loaderUsesTheRequestedPrecision() throws {
    #expect(try package.loaded(quantised: quantised).runtime.hasSuffix(", 8 bits"))
    #expect(try package.loaded(quantised: quantised, .float).runtime == package.loaded().runtime)
    #expect(try !package.loaded().runtime.hasSuffix(", 8 bits"))
  }

  @Test(arguments: ["yunet", "facemesh"]) func damagedWeightsAreRefused(name: String) throws {
    let package = try RealModel.package(name)
    let whole = try #require(package.quantised)
    let cut = [0, 1, 7, 8, 9, 100, whole.count / 2, whole.count - 1].map { Array(whole.prefix($0)) }
    for damaged in cut + [whole + [0], [UInt8](repeating: 0, count: whole.count)] {
      expectFailure(.failedPrecondition, comment: "\(damaged.count)") {
        try package.fused(quantised: damaged)
      }
    }
  }

  /// A network that loads also runs, or fails with a status.
  @Test func changedEightBitWeightsNeverCrash() throws {
    var generator = SeededGenerator(seed: 31)
    let pixels = Pixels(64, 64, .extremes)
    var loaded = 0
    for _ in 0..<300 {
      guard let network = try? package.fused(quantised: generator.changed(quantised)) else { continue }
      loaded += 1
      _ = try pixels.run(network, package.blobs)
    }
    #expect(loaded > 20)
  }

  /// Eight-bit weights for a graph that the kernels run only in floats.
  @Test func networkWithoutEightBitKernelsRunsInFloats() throws {
    let graph = String(decoding: package.graph, as: UTF8.self).replacing(
      "14=1 2=1 3=2 4=1 5=1 6=432", with: "14=0 2=1 3=2 4=0 15=1 16=1 5=1 6=432")
    let network = try NetworkLoader.load(
      graph: Array(graph.utf8), weights: package.weights, quantised: quantised, inputBlob: "in0",
      outputs: package.blobs)
    #expect(network.runtime.hasPrefix("fused kernels, ") && !network.runtime.hasSuffix(", 8 bits"))
  }
}
