import Client
import FaceCore
import Posix
import ServiceTestSupport
import Synchronization
import Testing
import Wire

@Suite struct ClientTests {
  @Test func detectsInEncodedBytesAsInProcess() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    var options = DetectionOptions()
    options.maxFaces = 7
    options.maxSide = 0
    options.minConfidence = 0
    try [UInt8]("jpeg".utf8).withUnsafeBytes { bytes in
      let input = ImageInput(.encoded(bytes), orientation: .right)
      let result = try client.detect(input, options: options)
      #expect(result == FakeDetector.expected(input, options))
      #expect(result.imageSize == PixelSize(width: 1, height: 4))
    }
  }
}
