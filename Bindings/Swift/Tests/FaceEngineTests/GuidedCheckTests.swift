import FaceEngine
import Testing

@Suite struct GuidedCheckTests {
  private let photo = Image.file(Support.photo)
  /// What the photo meets.
  private let options = CheckOptions(
    startDelay: .zero, hold: .milliseconds(100), minFace: 0.1, maxFace: 2, maxOffset: 1)

  private func frames(_ count: Int) -> AsyncStream<Image> {
    Support.stream(
      (0..<count).map { number in
        var image = photo
        image.timestamp = .milliseconds(40 * number + 1)
        return image
      })
  }

  @Test func aCheckEndsWithItsPicture() async throws {
    let engine = try await FaceEngine.load()
    var options = options
    options.useTimestamps = true
    var (states, pictures, draws): ([CheckState], [CheckPicture], Int) = ([], [], 0)
    for try await event in engine.guidedCheck(frames(100), options: options, mode: .every) {
      switch event.kind {
      case .status: states.append(event.state)
      case .draw(let face):
        draws += 1
        #expect(face.box.width > 100)
      case .result(let picture): pictures.append(picture)
      default: break
      }
    }
    #expect(states == [.waiting, .start, .checking, .finish])
    #expect(draws > 3 && pictures.count == 1)
    let picture = try #require(pictures.first)
    #expect(try await engine.faces(in: picture.crop).count == 1)
    #expect(try await engine.faces(in: picture.picture).imageSize == Size(width: 512, height: 600))
  }

  @Test func aCheckAsksForItsActions() async throws {
    let engine = try await FaceEngine.load()
    var (tips, failures): (Set<Tip>, [String]) = ([], [])
    var options = options
    (options.useTimestamps, options.timeout) = (true, .seconds(2))
    for try await event in engine.guidedCheck(
      frames(200), actions: [.turnLeft], options: options, mode: .every)
    {
      tips.insert(event.tip)
      if case .failed(let code, let message) = event.kind {
        failures.append(code)
        #expect(!message.isEmpty)
      }
    }
    #expect(tips.contains(.turnLeft))
    #expect(failures == ["time_out"])
  }

  @Test func aPhotoIsRightOrHasTips() async throws {
    let engine = try await FaceEngine.load()
    let right = try await engine.checkPhoto(photo, options: options)
    #expect(right.isRight && right.tips.isEmpty && right.face != nil && right.picture != nil)
    let wrong = try await engine.checkPhoto(photo, options: CheckOptions(minFace: 1.9, maxFace: 2))
    #expect(!wrong.isRight && wrong.tips.contains(.comeCloser) && wrong.face != nil && wrong.picture == nil)
    var frontal = options
    try frontal.apply(.iso)
    #expect(frontal.maxYaw == 5 && frontal.maxRoll == 8 && frontal.minFace == options.minFace)
    await fails(with: .invalidArgument) {
      try await engine.checkPhoto(photo, options: CheckOptions(maxYaw: 100))
    }
    let many = CheckOptions(actions: Array(repeating: .smile, count: 9))
    await fails(with: .invalidArgument) { try await engine.checkPhoto(photo, options: many) }
    let iso = CheckOptions(minFace: 0.1, maxFace: 2, maxOffset: 1, minISO: [.luminanceMean: 100])
    #expect(try await engine.checkPhoto(photo, options: iso).tips.isEmpty == false)
  }
}
