import Capture
import FaceCore
import Posix
import TestSupport
import Testing

/// The documented rule that chooses a camera's mode.
@Suite struct CameraChoiceTests {
  private static func mode(_ format: CameraFormat, _ width: Int, _ height: Int, _ rate: Double?) -> CameraMode {
    CameraMode(format: format, size: PixelSize(width: width, height: height), rate: rate)
  }

  /// A webcam on USB 2: raw pictures of 720 lines arrive slowly.
  private static let webcam = [
    mode(.yuyv, 640, 480, 30), mode(.yuyv, 1280, 720, 10), mode(.yuyv, 1920, 1080, 5),
    mode(.mjpeg, 640, 480, 30), mode(.mjpeg, 1280, 720, 30), mode(.mjpeg, 1920, 1080, 30),
  ]

  @Test(
    arguments: [
      (CameraOptions(), mode(.mjpeg, 1280, 720, 30)),
      (CameraOptions(framesPerSecond: 10), mode(.yuyv, 1280, 720, 10)),
      (CameraOptions(size: PixelSize(width: 640, height: 480)), mode(.yuyv, 640, 480, 30)),
      (CameraOptions(size: PixelSize(width: 1920, height: 1080)), mode(.mjpeg, 1920, 1080, 30)),
      // No mode is that fast: the fastest is taken.
      (CameraOptions(framesPerSecond: 120), mode(.mjpeg, 1280, 720, 30)),
    ] as [(CameraOptions, CameraMode)])
  func webcamModeReachesTheRequestedRate(options: CameraOptions, expected: CameraMode) throws {
    #expect(try CameraChoice.choose(Self.webcam, options) == expected)
  }

  @Test func modeWithTheFewestBytesIsPreferred() throws {
    let modes = [Self.mode(.nv12, 640, 480, 29.97), Self.mode(.yuyv, 640, 480, 30)]
    #expect(try CameraChoice.choose(modes, CameraOptions()).format == .nv12)
    // Of two modes that are equally slow, the first is taken.
    let slow = [Self.mode(.nv12, 640, 480, 15), Self.mode(.yuyv, 640, 480, 15)]
    #expect(try CameraChoice.choose(slow, CameraOptions()).format == .nv12)
    // A mode without a known rate counts as fast enough.
    #expect(
      try CameraChoice.choose(
        [Self.mode(.yuyv, 640, 480, nil), Self.mode(.mjpeg, 640, 480, 60)], CameraOptions()
      ).format == .yuyv)
  }

  @Test func smallestModeIsChosenIfAllAreLargerThanWanted() throws {
    let modes = [Self.mode(.mjpeg, 3840, 2160, 30), Self.mode(.mjpeg, 1920, 1080, 30)]
    #expect(try CameraChoice.choose(modes, CameraOptions()).size == PixelSize(width: 1920, height: 1080))
  }

  @Test func unsupportedSizeIsNamedWithTheSupportedOnes() {
    expectFailure(.invalidArgument, "640×480, 1280×720, 1920×1080") {
      try CameraChoice.choose(Self.webcam, CameraOptions(size: PixelSize(width: 800, height: 600)))
    }
  }

  @Test func nearestSizeOfARangeIsChosen() {
    let sizes = VideoSizes(widths: 32...2000, heights: 32...400, widthStep: 16, heightStep: 8)
    #expect(sizes.nearest(to: PixelSize(width: 1280, height: 720)) == PixelSize(width: 1280, height: 400))
    #expect(sizes.nearest(to: PixelSize(width: 100, height: 100)) == PixelSize(width: 96, height: 96))
    #expect(sizes.nearest(to: PixelSize(width: 1, height: 1)) == PixelSize(width: 32, height: 32))
  }

  @Test func requestedFormatExcludesAllOthers() throws {
    let camera = ScriptedCamera(FourCC("YUYV"), PixelSize(width: 640, height: 480))
    camera.offered[FourCC("MJPG")] = [(VideoSizes(PixelSize(width: 640, height: 480)), 30)]
    #expect(try CameraChoice.choose(camera, CameraOptions(format: .mjpeg)).format == .mjpeg)
    #expect(try CameraChoice.choose(camera, CameraOptions()).format == .yuyv)
    expectFailure(.failedPrecondition, "NV12 is needed") {
      try CameraChoice.choose(camera, CameraOptions(format: .nv12))
    }
  }

  /// What cameras of boards offer beside Bayer, which is not supported.
  @Test(arguments: [CameraFormat.uyvy, .nv16])
  func formatsOfBoardsAreTakenAndTheirRawOnesAreNot(format: CameraFormat) throws {
    let camera = ScriptedCamera(FourCC("RG10"), PixelSize(width: 640, height: 480))
    #expect(
      failure { () throws(Status) in _ = try CameraChoice.choose(camera, CameraOptions()) }?.message
        .contains("it offers RG10, and NV12, YUYV, UYVY, NV16 or MJPG is needed") == true)
    let size = PixelSize(width: 640, height: 480)
    camera.offered[FourCC(format == .uyvy ? "UYVY" : "NV16")] = [(VideoSizes(size), 30)]
    #expect(
      try CameraChoice.choose(camera, CameraOptions()) == CameraMode(format: format, size: size, rate: 30))
  }

  @Test func driverThatListsNoSizesIsAskedForTheUsualSize() throws {
    let camera = ScriptedCamera(FourCC("YUYV"))
    camera.offered = [FourCC("YUYV"): []]
    #expect(
      try CameraChoice.choose(camera, CameraOptions())
        == CameraMode(format: .yuyv, size: CameraChoice.usualSize, rate: nil))
    let wanted = PixelSize(width: 320, height: 240)
    #expect(try CameraChoice.choose(camera, CameraOptions(size: wanted)).size == wanted)
  }

  @Test func fourCCReadsAsItsLetters() {
    #expect(FourCC("YUYV").value == 0x5659_5559)
    #expect(FourCC("MJPG").description == "MJPG")
    #expect(FourCC(value: 0x0000_0001).description == "")
  }
}
