public import FaceCore

/// The check of a single photo.
extension GuidedCheck {
  /// Returns the outputs that are needed of the faces of a photo.
  public static func outputs(forPhotos options: CheckOptions) -> FaceOutputs {
    options.photoOutputs.union(.quality)
  }

  /// Returns the index of the person's face; `nil` without faces. Throws for an image without a size.
  public static func personFace(ofPhoto frame: Frame, _ options: CheckOptions) throws(Status) -> Int? {
    PersonFace.index(among: frame.faces, in: try TargetCircle(options, frame.imageSize), track: nil)
  }

  /// Checks a photo, which passes when no tip applies; actions, motion and times do not count.
  ///
  /// Throws for an image without a size.
  public static func photo(_ frame: Frame, _ options: CheckOptions) throws(Status) -> Step {
    let target = try TargetCircle(options, frame.imageSize)
    let person = PersonFace.index(among: frame.faces, in: target, track: nil)
    var tips = [Tip.noFace]
    if let person {
      var conditions = Conditions(options)
      tips = conditions.tips(
        for: Conditions.Observation(
          face: frame.faces[person], target: target,
          isAlone: PersonFace.isAlone(person, among: frame.faces, maxOther: options.maxOtherFace),
          brightness: frame.brightness),
        .photo)
    }
    let isRight = tips.isEmpty
    let state = isRight ? CheckState.finish : .failed
    var events = [CheckEvent.status(state)]
    events += isRight ? [.tip(.done)] : tips.map { .tip($0) }
    if let person { events.append(.draw(face: person)) }
    if !isRight { events.append(.failed(.notRight(tips[0]))) }
    let report = CheckReport(
      attempt: 1, state: state, tip: tips.first ?? .done, progress: isRight ? 1 : 0, actionsDone: 0,
      actionCount: 0, circle: target.circle, events: events, isBest: isRight)
    return Step(report: report, best: isRight ? person : nil, isFinished: isRight)
  }
}

extension CheckOptions {
  /// The outputs needed to check a picture of a face, without its quality.
  var photoOutputs: FaceOutputs {
    var outputs: FaceOutputs = []
    if asksForPose { outputs.insert(.pose) }
    if minEyesOpen > 0 { outputs.insert(.eyes) }
    if asksForISO { outputs.insert(.isoQuality) }
    return outputs
  }

  /// Whether the brightness of the face has to be measured.
  public var asksForBrightness: Bool { minBrightness > 0 || maxBrightness < 1 }
}
