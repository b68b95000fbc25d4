import FaceCore
import Service
import Testing
import Wire

/// Answers that are too large for one message.
@Suite struct FittingTests {
  private func face(_ id: UInt64 = 1) -> Face {
    var face = Face(box: Box(x: 1, y: 2, width: 3, height: 4), confidence: 0.5, points: nil)
    face.track = Track(id: id, frameCount: 2)
    return face
  }

  /// So many ids that they alone are too large.
  private var crowd: DetectionResult {
    var dense = face()
    dense.landmarks = Landmarks(
      points: Array(repeating: Point3D(x: 1, y: 2, z: 3), count: Landmarks.count), confidence: 1)
    return DetectionResult(
      imageSize: PixelSize(width: 640, height: 480), faces: Array(repeating: dense, count: 800))
  }

  private func picture(_ byteCount: Int) -> CheckPicture {
    CheckPicture(
      size: PixelSize(width: 640, height: 480), form: byteCount == 0 ? .keptByCaller : .jpeg,
      bytes: [UInt8](repeating: 7, count: byteCount))
  }

  private func result(_ byteCount: Int) -> CheckResult {
    CheckResult(face: face(), picture: picture(byteCount), crop: picture(byteCount), cropBox: face().box)
  }

  private func answer(_ result: CheckResult, left: [UInt64] = [3, 4]) -> FrameEvent {
    FrameEvent(
      frame: FrameInfo(number: 7), outcome: .faces(crowd), left: left,
      check: CheckReport(
        attempt: 2, state: .finish, tip: .done, progress: 1, actionsDone: 0, actionCount: 0,
        circle: Circle(center: Point(x: 1, y: 2), radius: 3),
        events: [.status(.finish), .tip(.done), .draw(face: 0), .result(result)], isBest: true))
  }

  private func fitted(_ answer: FrameEvent) throws -> (FrameEvent, failure: Status?) {
    let (frame, failure) = try answer.fitted(stream: 3)
    let body = Array(frame.dropFirst(FrameHeader.size))
    return (try WatchCall.response(body.span), failure)
  }

  @Test func answerThatFitsIsSentUnchanged() throws {
    var small = answer(result(1000))
    small.outcome = .faces(DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: [face()]))
    let (sent, failure) = try fitted(small)
    #expect(sent == small && failure == nil)
  }

  /// The faces are too much: the client gets the result, whichever side keeps its pictures.
  @Test(arguments: [0, 1_500_000])
  func checkResultIsKeptWhenTheFacesDoNotFit(byteCount: Int) throws {
    let (sent, failure) = try fitted(answer(result(byteCount)))
    #expect(failure?.code == .resourceExhausted)
    #expect(sent.failure?.code == .resourceExhausted && sent.failure?.message.contains("max_faces") == true)
    #expect(sent.left == [3, 4])
    let check = try #require(sent.check)
    #expect(check.events == [.status(.finish), .tip(.done), .result(result(byteCount))])
    #expect(check.state == .finish && check.attempt == 2 && check.isBest)
  }

  /// Pictures that are too large by themselves are left out, which also ends the check.
  @Test func picturesThatDoNotFitAreAFailureOfTheCheck() throws {
    let (sent, failure) = try fitted(answer(result(3_000_000)))
    #expect(failure?.code == .resourceExhausted)
    guard case .failed(let reason) = try #require(sent.check?.events.last) else {
      throw Status(.internal, "no failure")
    }
    #expect(reason.code == "no_picture" && reason.message.contains("a message can have"))
    #expect(sent.check?.state == .finish && sent.left == [3, 4])
  }

  @Test func answerThatCannotBeMadeToFitIsThrown() {
    let left = [UInt64](repeating: .max, count: 500_000)
    let status = #expect(throws: Status.self) { _ = try answer(result(0), left: left).fitted(stream: 3) }
    #expect(status?.code == .resourceExhausted)
  }
}
