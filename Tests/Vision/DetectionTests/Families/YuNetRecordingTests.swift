import Detection
import FaceCore
import Foundation
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

/// The outputs of the real network for the upper part of the astronaut's photo, 512×320 pixels scaled to
/// 160×100.
@Suite struct YuNetRecordingTests {
  static let path = "Tests/Fixtures/recordings/yunet-astronaut-160x128.bin"
  static let strides = [8, 16, 32]
  static let family = YuNet.withStrides(strides)

  private let recording: Recording

  init() throws {
    recording = Recording(bytes: try Fixture.bytes(Self.path))
  }

  @Test(arguments: [Float(0), 0.02, 0.3, 0.6], [0, 3])
  func decodeAgreesWithTheNaiveReference(minConfidence: Float, gap: Int) throws {
    let decoded = try recording.withViews(gap: gap) {
      try Self.family.decode($0, minConfidence: minConfidence)
    }
    let expected = NaiveFamilies.yunet(
      recording, strides: Self.strides, minConfidence: Double(minConfidence))
    #expect(decoded.count == expected.count)
    #expect(!expected.isEmpty)
    for (face, reference) in zip(decoded, expected) { #expect(face.distance(to: reference) < 0.001) }
  }

  /// The face's place according to the published reference for this photo: x 226.7 y 67.2 w 115.6 h 155.4 of
  /// 640×640.
  @Test func decodedFaceIsAtItsPlaceInThePhoto() throws {
    let decoded = try recording.withViews { try Self.family.decode($0, minConfidence: 0.6) }
    let faces = NonMaximumSuppression.apply(decoded, overlapThreshold: 0.3, limit: 0)
    #expect(faces.count == 1)
    let face = try #require(faces.first)
    let scale: Float = 160.0 / 640
    let reference = Box(x: 226.7 * scale, y: 67.2 * scale, width: 115.6 * scale, height: 155.4 * scale)
    #expect(face.box.intersectionOverUnion(reference) > 0.8)

    let points = try #require(face.points)
    #expect(points.rightEye.x < points.noseTip.x && points.noseTip.x < points.leftEye.x)
    #expect(points.mouthRight.x < points.mouthLeft.x)
    #expect(points.leftEye.y < points.noseTip.y && points.noseTip.y < points.mouthLeft.y)
  }

  /// With FACE_ENGINE_RECORD set, the recording is made; otherwise it is compared.
  @Test(.needsRealModel, .needsNcnn) func recordingMatchesTheNetworksOutputs() throws {
    let package = try RealModel.package()
    let wanted = package.manifest.input
    let network = try NcnnPlugin.network(package)
    let outputs = package.manifest.outputs
    let names = Self.strides.indices.flatMap { level in
      ["cls", "obj", "box", "points"].compactMap { outputs[$0]?[level] }
    }
    let fresh = try Fixture.photo("astronaut.png").borrowed { file throws(Status) in
      let decoded = try ImageDecoder.decode(file)
      let upper = try ImageView(
        format: .bgra, width: 512, height: 320, bytes: UnsafeRawBufferPointer(decoded.bitmap.pixels))
      let input = try NetworkInput(ImageInput(.pixels(upper)), maxSide: 160, multiple: 32)
      let pixels = try PixelInput(
        pixels: input.pixels.bytes.bindMemory(to: UInt8.self), stride: input.pixels.stride,
        width: input.pixels.size.width, height: input.pixels.size.height,
        inputWidth: input.letterbox.input.width, inputHeight: input.letterbox.input.height,
        isRedFirst: false, mean: .zero, scale: .one)
      return try network.run(pixels, inputBlob: wanted.blob, outputs: names) {
        (maps) throws(Status) in Recording(maps)
      }
    }
    if ProcessInfo.processInfo.environment["FACE_ENGINE_RECORD"] != nil {
      try Data(fresh.bytes).write(to: URL(filePath: "\(Fixture.repository)/\(Self.path)"))
    }
    let kept = recording
    #expect(kept.maps.map(\.values.count) == fresh.maps.map(\.values.count))
    for (map, reference) in zip(fresh.maps, kept.maps) {
      #expect(zip(map.values, reference.values).allSatisfy { abs($0 - $1) < 0.002 })
    }
  }
}
