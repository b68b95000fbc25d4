import Engine
import FaceCore
import TestSupport
import Testing

/// The end of a check in an engine's stream, with a picture that has to fit into a message.
@Suite(.needsRealModel, .needsAnalysisModels) final class GuidedCheckerTests: PhotoSuite {
  /// A check without requirements.
  private var lenient: CheckOptions {
    var options = CheckOptions.lenient
    (options.usesTimestamps, options.startDelay, options.hold) = (true, 0, 0)
    let (width, height) = (Float(photo.size.width), Float(photo.size.height))
    options.mask = Circle(center: Point(x: width / 2, y: height / 2), radius: width)
    return options
  }

  private func report(
    _ checker: any FrameChecker, _ picture: Picture, _ number: UInt64, attempt: UInt32 = 1
  ) throws -> CheckReport {
    try picture.withView(.bgra) { view throws(Status) in
      try checker.checkFrame(
        ImageInput(.pixels(view)),
        FrameInfo(number: number, timestamp: number * 100_000_000, attempt: attempt),
        options: DetectionOptions()
      ).report
    }
  }

  /// The reports of as many frames of the photo as such a check needs.
  private func reports(_ options: CheckOptions, maxPictureBytes: Int?) throws -> [CheckReport] {
    let checker = try engine.makeChecker(options, TrackingOptions(), maxPictureBytes: maxPictureBytes)
    return try (1...6).map { try report(checker, photo, $0) }
  }

  private func events(maxPictureBytes: Int) throws -> [CheckEvent] {
    try reports(lenient, maxPictureBytes: maxPictureBytes).flatMap(\.events)
  }

  private func ends(_ events: [CheckEvent]) -> [CheckEvent] {
    events.filter { event in
      switch event {
      case .result, .failed: true
      default: false
      }
    }
  }

  @Test func checkEndsWithOnePicture() throws {
    let ends = ends(try events(maxPictureBytes: 1 << 20))
    guard case .result(let result) = try #require(ends.first) else { throw Status(.internal, "no result") }
    #expect(ends.count == 1 && result.picture.bytes.count <= 3 << 18 && result.crop.bytes.count <= 1 << 18)
    #expect(result.picture.size == photo.size && result.picture.form == .jpeg)
  }

  /// All pixels are in the result, as JPEG; the engine of many checks keeps the file alone. A loaded library
  /// keeps the pixels, since that is what it returns.
  @Test func largePictureIsKeptAsItsFiles() throws {
    let large = Picture(photo.size.width * 4, photo.size.height * 4) { photo[$0 / 4, $1 / 4] }
    #expect(large.size.width * large.size.height * 4 > 15_000_000)
    for (maxBytes, most) in [(2 << 20, 2 << 20), (nil, large.size.width * large.size.height * 4)] {
      var options = lenient
      options.mask = nil
      options.hold = .milliseconds(500)
      let made = try engine.makeChecker(options, TrackingOptions(), maxPictureBytes: maxBytes)
      let checker = try #require(made as? GuidedChecker)
      var (kept, all): ([Int], [CheckEvent]) = ([], [])
      for number in 1...9 {
        all += try report(checker, large, UInt64(number)).events
        if let bytes = checker.keptBytes { kept.append(bytes) }
      }
      #expect(kept.count > 2 && kept.allSatisfy { $0 > 0 && $0 <= most })
      guard case .result(let result) = try #require(ends(all).first) else {
        throw Status(.internal, "no result")
      }
      #expect(result.picture.size == large.size && result.picture.form == (maxBytes == nil ? .bgra : .jpeg))
      #expect(result.crop.size.width == options.cropSize && !result.crop.bytes.isEmpty)
    }
  }

  /// Without an event a caller who waits for the end would wait forever.
  @Test func pictureTooLargeForTheMessageFailsTheCheck() throws {
    let events = try events(maxPictureBytes: 400)
    guard case .failed(let failure) = try #require(ends(events).first) else {
      throw Status(.internal, "no failure")
    }
    #expect(ends(events).count == 1 && failure.code == "no_picture")
    #expect(failure.message.contains("use a smaller one"))
    #expect(events.contains(.status(.finish)))
  }

  /// A caller that keeps the picture gets the same events without the pixels.
  @Test(arguments: [true, false])
  func theCallerMayKeepThePicture(isPhoto: Bool) throws {
    var options = lenient
    options.isStill = isPhoto
    let here = try reports(options, maxPictureBytes: nil)
    options.callerKeepsPicture = true
    let there = try reports(options, maxPictureBytes: 400)
    #expect(here.map(\.isBest) == there.map(\.isBest))
    #expect(here.map(\.isBest) == (isPhoto ? Array(repeating: true, count: 6) : here.map(\.hasResult)))
    for (mine, theirs) in zip(here.flatMap(\.events), there.flatMap(\.events)) {
      guard case .result(let result) = mine else {
        #expect(mine == theirs)
        continue
      }
      var bare = result
      (bare.picture.form, bare.picture.bytes) = (.keptByCaller, [])
      (bare.crop.form, bare.crop.bytes) = (.keptByCaller, [])
      #expect(theirs == .result(bare) && result.picture.form == .bgra)
    }
    #expect(there.count(where: \.hasResult) == (isPhoto ? 6 : 1))
  }

  /// When the check starts over with another person or another attempt, the previous picture is gone.
  @Test(arguments: [true, false])
  func pictureOfThePreviousPersonIsReleased(callerKeepsPicture: Bool) throws {
    var options = lenient
    (options.startsOver, options.lost, options.hold) = (true, 150_000_000, 60_000_000_000)
    options.callerKeepsPicture = callerKeepsPicture
    let made = try engine.makeChecker(options, TrackingOptions(), maxPictureBytes: nil)
    let checker = try #require(made as? GuidedChecker)
    let empty = Picture(photo.size.width, photo.size.height) { _, _ in RGB(90, 90, 90) }
    var number: UInt64 = 0
    func stand(attempt: UInt32) throws {
      for _ in 1...6 where checker.keptBytes == nil {
        number += 1
        _ = try report(checker, photo, number, attempt: attempt)
      }
      #expect(checker.keptBytes != nil)
    }
    try stand(attempt: 1)
    var states: [CheckState] = []
    for _ in 1...4 {
      number += 1
      states.append(try report(checker, empty, number).state)
      #expect((checker.keptBytes != nil) == (states.last == .checking))
    }
    #expect(states.first == .checking && states.last == .waiting)
    try stand(attempt: 1)
    number += 1
    _ = try report(checker, photo, number, attempt: 2)
    #expect(checker.keptBytes == nil)
    try stand(attempt: 2)
    // Also before a frame of the next attempt comes.
    checker.forget(before: 2)
    #expect(checker.keptBytes != nil)
    checker.forget(before: 3)
    #expect(checker.keptBytes == nil)
  }
}

extension CheckReport {
  fileprivate var hasResult: Bool {
    events.contains { if case .result = $0 { true } else { false } }
  }
}
