import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

/// Runs detectors in eight bits: the same bits on every instruction set, whatever the picture.
@Suite(.needsRealModel) struct QuantisedNetworkTests {
  private let package: ModelPackage
  private let quantised: [UInt8]
  private let outputs: [String]

  init() throws {
    package = try RealModel.package()
    quantised = try #require(package.quantised)
    outputs = package.blobs
  }

  private func network(
    _ instructions: InstructionSet = .best, threads: Int = 1, quantised: [UInt8]? = nil
  ) throws(Status) -> FusedNetwork {
    try package.network(instructions, threads: threads, quantised: quantised ?? self.quantised)
  }

  private static func values(_ maps: [TensorView]) -> [[Float]] {
    maps.map { map in
      (0..<map.shape.channels).flatMap { channel in
        let start = channel * map.shape.channelStride
        return Array(map.values[start..<start + map.shape.height * map.shape.width])
      }
    }
  }

  /// A picture of four bytes a pixel.
  private struct Pixels {
    var width: Int
    var height: Int
    var bytes: [UInt8]

    func run(
      _ network: some Network, outputs: [String], isRedFirst: Bool = false, mean: SIMD3<Float> = .zero,
      scale: SIMD3<Float> = .one
    ) throws -> [[Float]] {
      try bytes.withUnsafeBufferPointer { bytes in
        let input = try PixelInput(
          pixels: bytes, stride: width * 4, width: width, height: height,
          inputWidth: (width + 31) / 32 * 32, inputHeight: (height + 31) / 32 * 32, isRedFirst: isRedFirst,
          mean: mean, scale: scale)
        return try network.run(input, inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in
          QuantisedNetworkTests.values(maps)
        }
      }
    }
  }

  private static func noise(_ width: Int, _ height: Int, isExtreme: Bool) -> Pixels {
    var generator = SeededGenerator(seed: UInt64(width * height))
    let bytes = (0..<width * height * 4).map { _ in
      isExtreme ? (Bool.random(using: &generator) ? 255 : 0) : UInt8.random(in: 0...255, using: &generator)
    }
    return Pixels(width: width, height: height, bytes: bytes)
  }

  private static func photos() throws -> [Pixels] {
    var photos: [Pixels] = []
    for name: String in ["grace_hopper.jpg", "astronaut.png"] {
      try Fixture.photo(name).withUnsafeBytes { file in
        let decoded = try ImageDecoder.decode(file)
        let size = decoded.bitmap.size
        photos.append(
          Pixels(width: size.width, height: size.height, bytes: Array(decoded.bitmap.pixels)))
      }
    }
    return photos
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

  private func expectSameBits(_ pixels: Pixels, isRedFirst: Bool = false) throws {
    let expected = try pixels.run(network(.portable), outputs: outputs, isRedFirst: isRedFirst)
    for instructions in Self.available {
      let values = try pixels.run(network(instructions), outputs: outputs, isRedFirst: isRedFirst)
      // The values themselves are too many to print.
      let isEqual = values == expected
      #expect(isEqual, "\(instructions), \(pixels.width)×\(pixels.height)")
    }
  }

  /// The rows of `pixels`, up to one that cannot be made.
  private final class Rows: PixelRows {
    static let failure = Status(.internal, "there is no such row")
    let source = UnsafeRawBufferPointer(start: nil, count: 0)
    private let pixels: Pixels
    private let end: Int
    private(set) var read: [Int] = []

    init(_ pixels: Pixels, end: Int = .max) {
      self.pixels = pixels
      self.end = end
    }

    func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status) {
      read.append(row)
      guard row < end else { throw Rows.failure }
      let stride = pixels.width * 4
      for (index, byte) in pixels.bytes[row * stride..<(row + 1) * stride].enumerated() {
        target[index] = byte
      }
    }

    func run(_ network: FusedNetwork, outputs: [String], isRedFirst: Bool) throws(Status) -> [[Float]] {
      let input = try PixelInput(
        rows: self, width: pixels.width, height: pixels.height, inputWidth: (pixels.width + 31) / 32 * 32,
        inputHeight: (pixels.height + 31) / 32 * 32, isRedFirst: isRedFirst, mean: .zero, scale: .one)
      return try network.run(input, inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in
        QuantisedNetworkTests.values(maps)
      }
    }
  }

  @Test(arguments: [false, true]) func rowsGiveTheSameBitsAsPixels(isRedFirst: Bool) throws {
    let pixels = Self.noise(331, 187, isExtreme: false)
    let expected = try pixels.run(network(), outputs: outputs, isRedFirst: isRedFirst)
    let rows = Rows(pixels)
    let isEqual = try rows.run(network(), outputs: outputs, isRedFirst: isRedFirst) == expected
    #expect(isEqual)
    #expect(rows.read == Array(0..<187))
  }

  @Test func rowThatCannotBeMadeEndsTheRun() throws {
    let pixels = Self.noise(96, 64, isExtreme: false)
    let network = try network()
    let whole = try Rows(pixels).run(network, outputs: outputs, isRedFirst: false)
    let rows = Rows(pixels, end: 40)
    #expect(
      failure { () throws(Status) in _ = try rows.run(network, outputs: outputs, isRedFirst: false) }
        == Rows.failure)
    #expect(rows.read == Array(0...40))
    #expect(try Rows(pixels).run(network, outputs: outputs, isRedFirst: false) == whole)
  }

  @Test func severalThreadsReadNoRows() throws {
    let network = try network(threads: 2)
    #expect(!network.readsRows)
    let rows = Rows(Self.noise(32, 32, isExtreme: false))
    #expect(
      failure { () throws(Status) in _ = try rows.run(network, outputs: outputs, isRedFirst: false) }?.code
        == .invalidArgument)
  }

  @Test func photosGiveTheSameBitsEverywhere() throws {
    for photo in try Self.photos() {
      try expectSameBits(photo)
      try expectSameBits(photo, isRedFirst: true)
    }
  }

  @Test(arguments: [(32, 32), (61, 32), (32, 90), (352, 288), (224, 160), (128, 512), (800, 40)])
  func noiseGivesTheSameBitsEverywhere(width: Int, height: Int) throws {
    try expectSameBits(Self.noise(width, height, isExtreme: false))
    try expectSameBits(Self.noise(width, height, isExtreme: true))
  }

  /// CenterFace has residuals and stride-2, transposed and 3×3 convolutions, which YuNet does not.
  @Test(arguments: [(32, 32), (61, 95), (352, LongForm.choose(96, short: 32))])
  func centerFaceGivesTheSameBitsEverywhere(width: Int, height: Int) throws {
    let package = try ModelPackage(folder: "\(RealModel.folder)/../centerface")
    for isExtreme in [false, true] {
      let pixels = Self.noise(width, height, isExtreme: isExtreme)
      let expected = try pixels.run(
        package.network(.portable, quantised: package.quantised), outputs: package.blobs)
      for instructions in Self.available {
        for threads in [1, 3] {
          let network = try package.network(instructions, threads: threads, quantised: package.quantised)
          let isEqual = try pixels.run(network, outputs: package.blobs) == expected
          #expect(isEqual, "\(instructions), \(threads) threads")
        }
      }
    }
  }

  @Test(arguments: [2, 3, 5]) func threadsDoNotChangeABit(threads: Int) throws {
    for pixels in try Self.photos() + [Self.noise(333, 222, isExtreme: false)] {
      let alone = try pixels.run(network(), outputs: outputs)
      #expect(try pixels.run(network(threads: threads), outputs: outputs) == alone)
    }
  }

  /// The network in floats is the reference: cells differ by little, and hardly ever by much.
  @Test(arguments: ["yunet", "centerface"]) func theOutputsAreCloseToThoseOfFloats(name: String) throws {
    let package = try ModelPackage(folder: "\(RealModel.folder)/../\(name)")
    let kinds = ["cls", "obj", "heatmap"]
    let scores = package.manifest.outputs.filter { kinds.contains($0.key) }.flatMap(\.value)
    let isRedFirst = package.manifest.input.colour == "rgb"
    let (floats, whole) = (try package.network(), try package.network(quantised: package.quantised))
    for photo in try Self.photos() {
      let expected = try photo.run(floats, outputs: scores, isRedFirst: isRedFirst).joined()
      let values = try photo.run(whole, outputs: scores, isRedFirst: isRedFirst).joined()
      let differences = zip(values, expected).map { abs($0 - $1) }
      #expect(differences.reduce(0, +) / Float(differences.count) < 0.005)
      #expect(differences.filter { $0 > 0.2 }.count < differences.count / 1000)
    }
  }

  /// The inputs that a network of floats would see are rounded to whole bytes.
  @Test func aTensorAndOtherScalesAreSeenAsBytes() throws {
    let pixels = Self.noise(96, 64, isExtreme: false)
    let mean = SIMD3<Float>(10, -20, 0.3)
    let scale = SIMD3<Float>(1.2, 0.7, 1)
    let network = try network()
    let direct = try pixels.run(network, outputs: outputs, isRedFirst: true, mean: mean, scale: scale)
    let fromTensor = try pixels.bytes.withUnsafeBufferPointer { bytes in
      let input = try PixelInput(
        pixels: bytes, stride: 96 * 4, width: 96, height: 64, inputWidth: 96, inputHeight: 64,
        isRedFirst: true,
        mean: mean, scale: scale)
      return try network.run(Tensor(input), inputBlob: "in0", outputs: outputs) { (maps) throws(Status) in
        Self.values(maps)
      }
    }
    #expect(direct == fromTensor)
    var rounded = pixels
    for index in pixels.bytes.indices where index % 4 < 3 {
      let channel = 2 - index % 4
      let value = (Float(pixels.bytes[index]) - mean[channel]) * scale[channel]
      rounded.bytes[index] = UInt8(min(max(value + 0.5, 0), 255))
    }
    #expect(try rounded.run(network, outputs: outputs, isRedFirst: true) == direct)
  }

  @Test func loaderUsesTheRequestedPrecision() throws {
    func engine(_ quantised: [UInt8]?, _ precision: Precision) throws(Status) -> String {
      try NetworkLoader.load(
        graph: package.graph, weights: package.weights, quantised: quantised, precision: precision,
        inputBlob: "in0", outputs: outputs
      ).runtime
    }
    #expect(try engine(quantised, .best).hasSuffix(", 8 bits"))
    #expect(try engine(quantised, .float) == engine(nil, .best))
    #expect(try !engine(nil, .best).hasSuffix(", 8 bits"))
  }

  @Test func damagedEightBitWeightsAreRefused() {
    func problem(_ bytes: [UInt8]) -> Status? {
      failure { () throws(Status) in _ = try network(quantised: bytes) }
    }
    for count in [0, 1, 7, 8, 9, 100, quantised.count / 2, quantised.count - 1] {
      #expect(problem(Array(quantised.prefix(count)))?.code == .failedPrecondition, "cut to \(count)")
    }
    #expect(problem(quantised + [0])?.code == .failedPrecondition)
    #expect(problem([UInt8](repeating: 0, count: quantised.count))?.code == .failedPrecondition)
  }

  /// A network that loads also runs, or fails with a status.
  @Test func changedEightBitWeightsNeverCrash() throws {
    var generator = SeededGenerator(seed: 31)
    let pixels = Self.noise(64, 64, isExtreme: true)
    var loaded = 0
    for _ in 0..<300 {
      var changed = quantised
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      guard let network = try? network(quantised: changed) else { continue }
      loaded += 1
      _ = try pixels.run(network, outputs: outputs)
    }
    #expect(loaded > 20)
  }

  /// Eight-bit weights for a graph that the kernels run only in floats.
  @Test func networkWithoutEightBitKernelsRunsInFloats() throws {
    let graph = String(decoding: package.graph, as: UTF8.self).replacing(
      "14=1 2=1 3=2 4=1 5=1 6=432", with: "14=0 2=1 3=2 4=0 15=1 16=1 5=1 6=432")
    let network = try NetworkLoader.load(
      graph: Array(graph.utf8), weights: package.weights, quantised: quantised, inputBlob: "in0",
      outputs: outputs)
    #expect(network.runtime.hasPrefix("fused kernels, ") && !network.runtime.hasSuffix(", 8 bits"))
  }
}

extension ModelPackage {
  /// The names of all outputs.
  fileprivate var blobs: [String] { manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value) }

  fileprivate func network(
    _ instructions: InstructionSet = .best, threads: Int = 1, quantised: [UInt8]? = nil
  ) throws(Status) -> FusedNetwork {
    try FusedNetwork(
      graph: graph, weights: weights, quantised: quantised, inputBlob: "in0", outputs: blobs,
      instructions: instructions, threads: threads)
  }
}
