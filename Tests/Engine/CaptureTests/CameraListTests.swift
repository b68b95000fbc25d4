import Capture
import FaceCore
import Glibc
import Posix
import Testing

@Suite struct CameraListTests {
  @Test func camerasAreListedAndOtherNodesAreNot() {
    let camera = ScriptedCamera(FourCC("MJPG"), PixelSize(width: 640, height: 480))
    camera.offered[FourCC("H264")] = [(VideoSizes(PixelSize(width: 16, height: 16)), 30)]
    let node = ScriptedCamera(FourCC("YUYV"))
    node.capabilities = VideoCapability(name: "Metadata", isCamera: false)
    let port = ScriptedPort([.success(camera), .success(node), ScriptedPort.failure(EACCES)])
    let listed = CameraList.cameras(at: ["/dev/video0", "/dev/video1", "/dev/video2"], open: port.opener)
    #expect(listed.map(\.path) == ["/dev/video0"] && listed.map(\.name) == ["Scripted"])
    #expect(
      listed.first?.modes.map(\.format) == [.mjpeg]
        && listed.first?.modes.first?.size == PixelSize(width: 640, height: 480))
  }
}
