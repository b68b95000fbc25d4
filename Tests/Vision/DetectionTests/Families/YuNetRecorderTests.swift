import FaceCore
import Foundation
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

@Suite(.needsRealModel, .needsNcnn) struct YuNetRecorderTests {
  /// With FACE_ENGINE_RECORD set, the recording is made; otherwise it is compared.
  @Test func recordingMatchesTheNetworksOutputs() throws {
    let package = try RealModel.package()
    let wanted = package.manifest.input
    let network = try NcnnPlugin.network(package)
    let outputs = package.manifest.outputs
    let names = YuNetRecordingTests.strides.indices.flatMap { level in
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
      try Data(fresh.bytes).write(to: URL(filePath: "\(Fixture.repository)/\(YuNetRecordingTests.path)"))
    }
    let kept = Recording(bytes: try Fixture.bytes(YuNetRecordingTests.path))
    #expect(kept.maps.map(\.values.count) == fresh.maps.map(\.values.count))
    for (map, reference) in zip(fresh.maps, kept.maps) {
      #expect(zip(map.values, reference.values).allSatisfy { abs($0 - $1) < 0.002 })
    }
  }
}
