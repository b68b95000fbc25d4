import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

/// Runs the mesh in 16 bits: the same bits on every instruction set.
@Suite(.needsRealModel) struct SixteenBitNetworkTests {
  private static let side = 256
  private let package: ModelPackage
  private let quantised: [UInt8]

  init() throws {
    package = try ModelPackage(folder: "\(RealModel.folder)/../facemesh")
    quantised = try #require(package.quantised)
  }

  private func network(
    _ instructions: InstructionSet = .best, threads: Int = 1, quantised: [UInt8]? = nil
  ) throws(Status) -> FusedNetwork {
    try FusedNetwork(
      graph: package.graph, weights: package.weights, quantised: quantised, inputBlob: "in0",
      outputs: ["out0", "out1"], instructions: instructions, threads: threads)
  }

  /// Returns the coordinates of the points, then their presence, for a crop of four bytes a pixel.
  private func run(_ network: FusedNetwork, _ crop: [UInt8]) throws -> [Float] {
    try crop.withUnsafeBufferPointer { bytes in
      let input = try PixelInput(
        pixels: bytes, stride: Self.side * 4, width: Self.side, height: Self.side, inputWidth: Self.side,
        inputHeight: Self.side, isRedFirst: true, mean: .zero, scale: .init(repeating: 1 / 255))
      return try network.run(input, inputBlob: "in0", outputs: ["out0", "out1"]) {
        (maps) throws(Status) -> [Float] in
        maps.flatMap { map in
          (0..<map.shape.channels).map { map.values[$0 * map.shape.channelStride] }
        }
      }
    }
  }

  /// The square around Grace Hopper's face.
  private static func face() throws -> [UInt8] {
    try Fixture.photo("grace_hopper.jpg").withUnsafeBytes { (file) -> [UInt8] in
      let decoded = try ImageDecoder.decode(file)
      let width: Int = decoded.bitmap.size.width
      var crop: [UInt8] = []
      for row in 60..<60 + side {
        let first: Int = (row * width + 130) * 4
        crop.append(contentsOf: decoded.bitmap.pixels[first..<first + side * 4])
      }
      return crop
    }
  }

  @Test(arguments: [false, true]) func everyInstructionSetGivesTheSameBits(isExtreme: Bool) throws {
    var generator = SeededGenerator(seed: 16)
    let crop = (0..<Self.side * Self.side * 4).map { _ -> UInt8 in
      isExtreme ? (Bool.random(using: &generator) ? 255 : 0) : UInt8.random(in: 0...255, using: &generator)
    }
    let expected = try run(network(.portable, quantised: quantised), crop)
    for instructions in InstructionSet.allCases where instructions != .best && instructions.isAvailable {
      for threads in [1, 3] {
        let network = try network(instructions, threads: threads, quantised: quantised)
        #expect(network.runtime.hasSuffix(", 16 bits") && network.isQuantised && !network.readsRows)
        let isEqual = try run(network, crop) == expected
        #expect(isEqual, "\(instructions), \(threads) threads")
      }
    }
  }

  /// Compares the points of a face in pixels of its crop.
  @Test func pointsAreCloseToThoseOfFloats() throws {
    let photo = try Self.face()
    let floats = try run(network(), photo)
    let whole = try run(network(.portable, quantised: quantised), photo)
    #expect(floats.count == 3 * 478 + 1 && whole.count == floats.count)
    #expect(floats.last! > 5, "there is a face in the crop")
    let differences = zip(floats, whole).map { abs($0 - $1) }
    #expect(differences.reduce(0, +) / Float(differences.count) < 0.2)
    #expect(differences.max()! < 1)
  }

  @Test func damagedWeightsAreRefused() throws {
    for damaged in [Array(quantised.prefix(9)), quantised.dropLast(), quantised + [0]] {
      #expect(
        failure { () throws(Status) in _ = try network(quantised: damaged) }?.code == .failedPrecondition)
    }
  }
}
