import Client
import FaceCore
import Testing

/// Tests which frame of a guided check is kept, and for how long.
@Suite struct BestFrameTests {
  private static let face = Face(
    box: Box(x: 10, y: 10, width: 20, height: 20), confidence: 1, points: nil)
  private static let result: CheckResult = {
    let picture = CheckPicture(size: PixelSize(width: 40, height: 40), form: .keptByCaller, bytes: [])
    return CheckResult(face: face, picture: picture, crop: picture, cropBox: face.box)
  }()

  private static func report(
    _ state: CheckState, attempt: UInt32 = 1, isBest: Bool, _ result: CheckResult?
  ) -> CheckReport {
    CheckReport(
      attempt: attempt, state: state, tip: .prompt, progress: 0, actionsDone: 0, actionCount: 0,
      circle: Circle(center: Point(x: 0, y: 0), radius: 1),
      events: result.map { [.clear, .result($0)] } ?? [], isBest: isBest)
  }

  /// Adds the report of a frame that is all `shade`.
  /// - Returns: the shade of the result's picture, or the code of the failure; "" if the check continues.
  private func add(
    _ best: inout BestFrame, _ shade: UInt8, _ state: CheckState = .checking, attempt: UInt32 = 1,
    isBest: Bool = false, _ result: CheckResult? = nil
  ) throws -> String {
    let report = Self.report(state, attempt: attempt, isBest: isBest, result)
    let pixels = [UInt8](repeating: shade, count: 1600)
    let complete = try pixels.withUnsafeBytes { bytes in
      let view = try ImageView(format: .gray, width: 40, height: 40, bytes: bytes)
      return best.complete(report) { () throws(Status) in ImageInput(.pixels(view)) }
    }
    #expect(complete.events.count == report.events.count && complete.isBest == isBest)
    switch complete.events.last {
    case .result(let result):
      #expect(result.picture.form == .bgra && result.crop.form == .bgra)
      #expect(result.face == Self.face && result.cropBox == Self.face.box)
      return "\(result.picture.bytes[0])"
    case .failed(let failure): return failure.code
    default: return ""
    }
  }

  @Test func resultHasTheLastBestFrame() throws {
    var best = BestFrame(CheckOptions())
    #expect(best.isEmpty)
    for (shade, isBest) in [(1, false), (2, true), (3, false), (4, true), (5, false)] as [(UInt8, Bool)] {
      #expect(try add(&best, shade, isBest: isBest) == "")
      #expect(best.isEmpty == (shade == 1))
    }
    #expect(try add(&best, 6, .finish, Self.result) == "4")
    #expect(best.isEmpty, "it is handed over")
  }

  /// A photo is the best frame and the last one at once, and so is the frame of a check without a hold.
  @Test func singleFrameCanBeBestAndResult() throws {
    var best = BestFrame(CheckOptions())
    #expect(try add(&best, 9, .finish, isBest: true, Self.result) == "9")
    #expect(try add(&best, 8, .finish, isBest: true, Self.result) == "8")
    #expect(best.isEmpty)
  }

  /// With `startsOver` a check waits for the next person, who must not get the picture of the previous one.
  @Test(arguments: [CheckState.waiting, .start, .finish, .timeOut, .failed])
  func bestFrameIsReleasedWhenNoCheckRuns(state: CheckState) throws {
    var best = BestFrame(CheckOptions())
    _ = try add(&best, 1, isBest: true)
    #expect(!best.isEmpty)
    #expect(try add(&best, 2, state) == "")
    #expect(best.isEmpty)
  }

  @Test func newAttemptStartsWithoutABestFrame() throws {
    var best = BestFrame(CheckOptions())
    _ = try add(&best, 1, isBest: true)
    #expect(try add(&best, 2, attempt: 2) == "")
    #expect(best.isEmpty)
    _ = try add(&best, 3, attempt: 2, isBest: true)
    #expect(try add(&best, 4, .finish, attempt: 2, Self.result) == "3")
  }

  /// The picture is removed when the connection is lost.
  @Test func resultAfterThePictureWasRemovedFails() throws {
    var best = BestFrame(CheckOptions())
    _ = try add(&best, 1, isBest: true)
    best.removePicture()
    #expect(best.isEmpty)
    #expect(try add(&best, 2, .finish, Self.result) == "no_picture")
  }

  /// An engine that sends a file nonetheless has named no frame.
  @Test func resultWithoutAKeptFrameFails() throws {
    var best = BestFrame(CheckOptions())
    var file = Self.result
    file.picture = CheckPicture(size: PixelSize(width: 40, height: 40), form: .jpeg, bytes: [0xFF, 0xD8])
    #expect(try add(&best, 1, .finish, file) == "no_picture")
    let report = Self.report(.finish, isBest: true, Self.result)
    let complete = best.complete(report) { () throws(Status) in
      throw Status(.resourceExhausted, "no memory for it")
    }
    guard case .failed(let failure) = complete.events.last else { throw Status(.internal, "no failure") }
    #expect(failure.code == "no_picture" && failure.message.contains("no memory for it"))
  }

  /// Numbers that no engine sends fail the check and do not trap.
  @Test(arguments: [
    Box(x: 0, y: 0, width: 0, height: 0), Box(x: 0, y: 0, width: -5, height: -5),
    Box(x: 3e38, y: 3e38, width: 3e38, height: 3e38),
  ])
  func resultWithAnInvalidFaceBoxFails(box: Box) throws {
    var best = BestFrame(CheckOptions())
    var result = Self.result
    result.face.box = box
    _ = try add(&best, 1, isBest: true)
    #expect(try add(&best, 2, .finish, result) == "no_picture")
  }
}
