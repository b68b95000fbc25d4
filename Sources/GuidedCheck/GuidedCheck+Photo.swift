public import FaceCore

/// One photo for itself.
extension GuidedCheck {
  /// What has to be known of the faces of a photo.
  public static func outputs(forPhotos options: CheckOptions) -> FaceOutputs {
    options.photoOutputs.union(.quality)
  }

  /// The face that is meant, an index; `nil` without faces. Throws for an image without a size.
  public static func subject(ofPhoto frame: Frame, _ options: CheckOptions) throws(Status) -> Int? {
    Subject.index(among: frame.faces, in: try Place(options, frame.imageSize), following: nil)
  }

  /// The photo is right when no tip applies; actions, motion and times do not count.
  ///
  /// Throws for an image without a size.
  public static func photo(_ frame: Frame, _ options: CheckOptions) throws(Status) -> Step {
    let place = try Place(options, frame.imageSize)
    let subject = Subject.index(among: frame.faces, in: place, following: nil)
    var wrong = [Tip.noFace]
    if let subject {
      var conditions = Conditions(options)
      wrong = conditions.wrong(
        Conditions.Sight(
          face: frame.faces[subject], place: place,
          isAlone: Subject.isAlone(subject, among: frame.faces, maxOther: options.maxOtherFace),
          brightness: frame.brightness),
        .photo)
    }
    let isRight = wrong.isEmpty
    let state = isRight ? CheckState.finish : .failed
    var events = [CheckEvent.status(state)]
    events += isRight ? [.tip(.done)] : wrong.map { .tip($0) }
    if let subject { events.append(.draw(face: subject)) }
    if !isRight { events.append(.failed(.notRight(wrong[0]))) }
    let report = CheckReport(
      attempt: 1, state: state, tip: wrong.first ?? .done, progress: isRight ? 1 : 0, actionsDone: 0,
      actionCount: 0, circle: place.circle, events: events, isBest: isRight)
    return Step(report: report, best: isRight ? subject : nil, isFinished: isRight)
  }
}

extension CheckOptions {
  /// What tells whether a picture of a face is right, but its quality.
  var photoOutputs: FaceOutputs {
    var outputs: FaceOutputs = []
    if asksForPose { outputs.insert(.pose) }
    if minEyesOpen > 0 { outputs.insert(.eyes) }
    return outputs
  }

  /// Whether the brightness of the face has to be measured.
  public var asksForBrightness: Bool { minBrightness > 0 || maxBrightness < 1 }
}
