public import FaceCore

/// The guided check of one person after another, as a value without pictures and without a clock of its own.
///
///     waiting ── a face is in the circle ──► start ── stays ──► checking ── right ──► finish
///        ▲────────── it left the circle ───────┘                   └──► timeOut, failed
///
/// While checking, the actions come first, one after the other, then the face has to be right for a while. A face that was
/// away for longer than the grace begins with the first action again, since nobody can say whose it is.
public struct GuidedCheck: ~Copyable, Sendable {
  /// One frame, as the engine sees it.
  public struct Frame {
    /// Nanoseconds of any clock that does not go back.
    public var time: Int64
    public var imageSize: PixelSize
    public var faces: [Face]
    /// Of the face that `subject` names, its mean luma, 0…1; `nil` where it was not measured.
    public var brightness: Float?

    public init(time: Int64, imageSize: PixelSize, faces: [Face], brightness: Float? = nil) {
      self.time = time
      self.imageSize = imageSize
      self.faces = faces
      self.brightness = brightness
    }
  }

  /// What a frame comes to.
  public struct Step {
    /// All events but the result, which is a picture.
    public var report: CheckReport
    /// The face whose picture is the best so far: to be kept in place of any before.
    public var best: Int?
    /// The check is right, and the picture kept is its result.
    public var isFinished = false
  }

  private let options: CheckOptions
  private let seed: UInt64
  private var attempt: UInt32 = 1
  private var state = CheckState.waiting
  /// `nil` before the first frame of an attempt.
  private var waitingSince: Int64?
  private var stateSince: Int64 = 0
  private var now: Int64 = 0
  /// The person's face, from `start` on.
  private var followed: UInt64?
  private var lastSeen: Int64 = 0
  /// It was not there in the frame before.
  private var wasAway = false
  private var conditions: Conditions
  private var motion = Motion()
  private var actions: [CheckAction] = []
  private var actionsDone = 0
  private var action: ActionProgress?
  private var hold: HoldTimer
  private var bestQuality: Float?
  private var tips: TipDisplay
  private var isDrawn = false

  /// - Parameters:
  ///   - options: checked.
  ///   - seed: of the random order of actions.
  public init(_ options: CheckOptions, seed: UInt64) {
    self.options = options
    self.seed = seed
    conditions = Conditions(options)
    hold = HoldTimer(needed: options.hold, grace: options.grace)
    tips = TipDisplay(leastTime: options.tipTime)
    actions = ActionOrder.actions(of: options, attempt: attempt, seed: seed)
  }

  /// Begins a new attempt.
  public mutating func restart(attempt: UInt32) {
    let wasDrawn = isDrawn
    self = GuidedCheck(options, seed: seed)
    isDrawn = wasDrawn
    self.attempt = attempt
    actions = ActionOrder.actions(of: options, attempt: attempt, seed: seed)
  }

  /// What has to be known of the faces of the next frame.
  public var neededOutputs: FaceOutputs {
    if state == .waiting || state.isEnd { return [] }
    var outputs = options.photoOutputs
    for action in actions { outputs.formUnion(action.output) }
    let isHolding = state == .checking && actionsDone == actions.count
    return isHolding ? outputs.union(.quality) : outputs
  }

  /// Whether the brightness of the subject has to be known in the next frame.
  public var needsBrightness: Bool { state == .checking && options.asksForBrightness }

  /// Long side in pixels of the smallest faces that have to be found in an image of `imageSize`: somebody who is still to
  /// come closer. Throws for an image without a size.
  public func leastFace(in imageSize: PixelSize) throws(Status) -> Float {
    0.4 * options.minFace * 2 * (try Place(options, imageSize).circle.radius)
  }

  /// The person's face in the next frame, an index; `nil` without faces. Throws for an image without a size.
  public func subject(among faces: [Face], imageSize: PixelSize) throws(Status) -> Int? {
    Subject.index(
      among: faces, in: try Place(options, imageSize), following: state == .checking ? followed : nil)
  }

  /// Throws for an image without a size.
  public mutating func step(_ frame: Frame) throws(Status) -> Step {
    let place = try Place(options, frame.imageSize)
    now = max(now, frame.time)
    var step = Step(report: report(place))
    let known = (outputs: neededOutputs, brightness: needsBrightness)
    guard !state.isEnd else {
      draw(nil, &step)
      return finished(step, place)
    }
    if waitingSince == nil {
      waitingSince = now
      enter(.waiting, &step)
    }
    let subject = try subject(among: frame.faces, imageSize: frame.imageSize)
    let sight = subject.map { index in
      motion.step(frame.faces[index].box, at: now)
      return Conditions.Sight(
        face: frame.faces[index], place: place,
        isAlone: Subject.isAlone(index, among: frame.faces, maxOther: options.maxOtherFace),
        brightness: frame.brightness, motion: motion.speed)
    }
    var tip: Tip?
    if state != .checking { tip = wait(sight, &step) }
    if state == .checking { tip = check(sight, subject, known, &step) }
    if let tip, tips.show(tip, at: now, atOnce: state == .finish) { step.report.events.append(.tip(tip)) }
    draw(subject, &step)
    if let failure { step.report.events.append(.failed(failure)) }
    return finished(step, place)
  }

  // MARK: Before the check

  /// - Returns: the tip for this frame; `nil` when the check began or the time was up.
  private mutating func wait(_ sight: Conditions.Sight?, _ step: inout Step) -> Tip? {
    if options.waitTimeout > 0, let waitingSince, now - waitingSince > options.waitTimeout {
      end(.timeOut, .waitTimeOut, &step)
      return nil
    }
    let wrong = sight.map { conditions.wrong($0, .place) } ?? []
    if let sight, sight.isAlone, sight.place.offset(sight.face.box) <= 1 {
      let id = sight.face.track?.id
      if state == .waiting {
        enter(.start, &step)
      } else if id != followed {
        stateSince = now
      }
      (followed, lastSeen) = (id, now)
      if now - stateSince >= options.startDelay {
        enter(.checking, &step)
        return nil
      }
      return wrong.first ?? .holdStill
    }
    if state == .start, now - lastSeen > options.grace { enter(.waiting, &step) }
    return wrong.first ?? .prompt
  }

  // MARK: The check

  /// - Parameter known: what was to be known of the frame, by the state before it.
  /// - Returns: the tip for this frame; `nil` where it ended without one.
  private mutating func check(
    _ sight: Conditions.Sight?, _ subject: Int?, _ known: (outputs: FaceOutputs, brightness: Bool),
    _ step: inout Step
  ) -> Tip? {
    if options.timeout > 0, now - stateSince > options.timeout {
      end(.timeOut, .timeOut, &step)
      return nil
    }
    guard let sight, sight.face.track?.id == followed else { return miss(sight, &step) }
    if wasAway, now - lastSeen > options.grace { forget() }
    (lastSeen, wasAway) = (now, false)
    // With this frame more is asked than was measured.
    guard neededOutputs.isSubset(of: known.outputs), known.brightness || !needsBrightness else {
      return .holdStill
    }
    if actionsDone < actions.count { return act(sight) }
    let wrong = conditions.wrong(sight, .rest)
    guard wrong.isEmpty else { return interrupt(wrong[0]) }
    hold.right(at: now)
    let quality = sight.face.quality?.overall ?? 0
    // A little better is not worth another copy of the picture.
    if bestQuality.map({ quality > $0 * 1.02 }) ?? true {
      bestQuality = quality
      step.best = subject
    }
    guard hold.isDone else { return .holdStill }
    enter(.finish, &step)
    step.isFinished = true
    return .done
  }

  /// The face that was checked is not there.
  private mutating func miss(_ other: Conditions.Sight?, _ step: inout Step) -> Tip? {
    let isReplaced = other.map { $0.place.offset($0.face.box) <= 1 } ?? false
    if isReplaced || now - lastSeen > options.lost {
      guard options.startsOver else {
        end(.failed, isReplaced ? .faceChanged : .faceLost, &step)
        return nil
      }
      beginAnew(&step)
      return isReplaced ? .holdStill : .prompt
    }
    wasAway = true
    if now - lastSeen > options.grace { forget() }
    return interrupt(.noFace)
  }

  private mutating func act(_ sight: Conditions.Sight) -> Tip {
    let wrong = conditions.wrong(sight, .light)
    guard wrong.isEmpty else { return wrong[0] }
    var progress = action ?? ActionProgress(actions[actionsDone], turnAngle: options.turnAngle)
    let isDone = progress.step(sight.face)
    action = isDone ? nil : progress
    if isDone { actionsDone += 1 }
    return isDone ? .lookStraight : progress.tip
  }

  /// - Returns: the tip to show: what is wrong, unless it may be over in a moment.
  private mutating func interrupt(_ tip: Tip) -> Tip {
    guard actionsDone == actions.count else { return tip }
    guard hold.wrong(at: now) else { return .holdStill }
    bestQuality = nil
    return tip
  }

  // MARK: States

  private var failure: CheckFailure?

  private mutating func enter(_ next: CheckState, _ step: inout Step) {
    state = next
    stateSince = now
    step.report.events.append(.status(next))
  }

  private mutating func end(_ next: CheckState, _ failure: CheckFailure, _ step: inout Step) {
    enter(next, &step)
    self.failure = failure
  }

  /// Nothing counts that was done so far.
  private mutating func forget() {
    (actionsDone, action, bestQuality) = (0, nil, nil)
    hold = HoldTimer(needed: options.hold, grace: options.grace)
  }

  /// Waits for the next face.
  private mutating func beginAnew(_ step: inout Step) {
    forget()
    (followed, wasAway) = (nil, false)
    waitingSince = now
    enter(.waiting, &step)
  }

  /// Nothing is drawn after the end.
  private mutating func draw(_ subject: Int?, _ step: inout Step) {
    if let subject {
      isDrawn = true
      step.report.events.append(.draw(face: subject))
    } else if isDrawn {
      isDrawn = false
      step.report.events.append(.clear)
    }
  }

  private func report(_ place: Place) -> CheckReport {
    CheckReport(
      attempt: attempt, state: state, tip: tips.shown, progress: hold.progress, actionsDone: actionsDone,
      actionCount: actions.count, circle: place.circle, events: [])
  }

  /// With everything as it is after the frame.
  private func finished(_ step: Step, _ place: Place) -> Step {
    var step = step
    let events = step.report.events
    step.report = report(place)
    step.report.events = events
    step.report.isBest = step.best != nil
    return step
  }
}
