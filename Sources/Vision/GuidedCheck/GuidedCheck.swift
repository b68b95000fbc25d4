public import FaceCore

/// The state machine of a guided check, one person after another: a value without pictures and without a
/// clock of its own.
///
///     waiting ── a face is in the circle ──► start ── stays ──► checking ── right ──► finish
///        ▲────────── it left the circle ───────┘                   └──► timeOut, failed
///
/// While checking, the actions come first, one after the other, then the face has to be right for a while.
/// After an absence longer than the grace, the actions start again from the first, because it may be another
/// person's face.
public struct GuidedCheck: ~Copyable, Sendable {
  /// One frame, with the engine's results.
  public struct Frame {
    /// Nanoseconds of any clock that never goes backwards.
    public var time: Int64
    public var imageSize: PixelSize
    public var faces: [Face]
    /// The mean luma of the face given by `personFace`, 0…1; `nil` where it was not measured.
    public var brightness: Float?

    public init(time: Int64, imageSize: PixelSize, faces: [Face], brightness: Float? = nil) {
      self.time = time
      self.imageSize = imageSize
      self.faces = faces
      self.brightness = brightness
    }
  }

  /// The outcome of a frame.
  public struct Step {
    /// The report with all events but the result, which needs a picture.
    public var report: CheckReport
    /// The index of the face if its picture is the best so far and is to replace the one kept.
    public var best: Int?
    /// Whether the check has succeeded, with the kept picture as its result.
    public var isFinished = false
  }

  private let options: CheckOptions
  private let seed: UInt64
  private var attempt: UInt32 = 1
  private var state = CheckState.waiting
  /// The start of the wait for a face; `nil` before the first frame of an attempt.
  private var waitingSince: TimeSpan?
  private var stateSince = TimeSpan.zero
  private var now = TimeSpan.zero
  /// The track id of the person's face, from `start` on.
  private var personTrack: UInt64?
  /// The face that the last tip was about.
  private var shownTrack: UInt64?
  private var lastSeen = TimeSpan.zero
  /// Whether the face was missing in the frame before.
  private var wasAway = false
  private var conditions: Conditions
  private var speed = SpeedMeter()
  private var actions: [CheckAction] = []
  private var actionsDone = 0
  private var action: ActionProgress?
  private var hold: HoldTimer
  private var bestQuality: Float?
  private var tips: TipDisplay
  private var isDrawn = false

  /// - Parameters:
  ///   - options: must be valid.
  ///   - seed: the seed of the random order of actions.
  public init(_ options: CheckOptions, seed: UInt64) {
    self.options = options
    self.seed = seed
    conditions = Conditions(options)
    hold = HoldTimer(needed: options.hold, grace: options.grace)
    tips = TipDisplay(leastTime: options.tipTime)
    actions = ActionOrder.actions(of: options, attempt: attempt, seed: seed)
  }

  public mutating func restart(attempt: UInt32) {
    let wasDrawn = isDrawn
    self = GuidedCheck(options, seed: seed)
    isDrawn = wasDrawn
    self.attempt = attempt
    actions = ActionOrder.actions(of: options, attempt: attempt, seed: seed)
  }

  /// The outputs that are needed of the faces of the next frame.
  public var neededOutputs: FaceOutputs {
    if state == .waiting || state.isEnd { return [] }
    var outputs = options.photoOutputs
    for action in actions { outputs.formUnion(action.output) }
    let isHolding = state == .checking && actionsDone == actions.count
    return isHolding ? outputs.union(.quality) : outputs
  }

  /// Whether the brightness of the person's face is needed in the next frame.
  public var needsBrightness: Bool { state == .checking && options.asksForBrightness }

  /// Returns the long side in pixels of the smallest faces that must be found in an image of `imageSize`:
  /// that of a person who has yet to come closer. Throws for an image without a size.
  public func minFace(in imageSize: PixelSize) throws(Status) -> Float {
    0.4 * options.minFace * 2 * (try TargetCircle(options, imageSize).circle.radius)
  }

  /// Returns the index of the person's face in the next frame; `nil` without faces. Throws for an image
  /// without a size.
  public func personFace(among faces: [Face], imageSize: PixelSize) throws(Status) -> Int? {
    PersonFace.index(
      among: faces, in: try TargetCircle(options, imageSize), track: state == .checking ? personTrack : nil,
      unlessClearer: shownTrack)
  }

  /// Advances the check by one frame. Throws for an image without a size.
  public mutating func step(_ frame: Frame) throws(Status) -> Step {
    let target = try TargetCircle(options, frame.imageSize)
    now = max(now, .nanoseconds(frame.time))
    var step = Step(report: report(target))
    let measured = (outputs: neededOutputs, brightness: needsBrightness)
    guard !state.isEnd else {
      updateDrawing(nil, &step)
      return completed(step, target)
    }
    if waitingSince == nil {
      waitingSince = now
      enter(.waiting, &step)
    }
    let person = try personFace(among: frame.faces, imageSize: frame.imageSize)
    shownTrack = person.flatMap { frame.faces[$0].track?.id }
    let observation = person.map { index in
      speed.add(frame.faces[index].box, at: now)
      return Conditions.Observation(
        face: frame.faces[index], target: target,
        isAlone: PersonFace.isAlone(index, among: frame.faces, maxOther: options.maxOtherFace),
        brightness: frame.brightness, speed: speed.speed)
    }
    var tip: Tip?
    if state != .checking { tip = stepWaiting(observation, &step) }
    if state == .checking { tip = stepChecking(observation, person, measured, &step) }
    if let tip, tips.show(tip, at: now, atOnce: state == .finish) { step.report.events.append(.tip(tip)) }
    updateDrawing(person, &step)
    if let failure { step.report.events.append(.failed(failure)) }
    return completed(step, target)
  }

  // MARK: Before the check

  /// - Returns: the tip for this frame; `nil` when the check began or the time is up.
  private mutating func stepWaiting(_ observation: Conditions.Observation?, _ step: inout Step) -> Tip? {
    if options.waitTimeout > .zero, let waitingSince, now - waitingSince > options.waitTimeout {
      fail(.waitTimeOut, in: .timeOut, &step)
      return nil
    }
    let tips = observation.map { conditions.tips(for: $0, .position) } ?? []
    if let observation, observation.isAlone, observation.target.offset(observation.face.box) <= 1 {
      let id = observation.face.track?.id
      if state == .waiting {
        enter(.start, &step)
      } else if let personTrack, id != personTrack {
        stateSince = now
      }
      (personTrack, lastSeen) = (id, now)
      // A face without an id may be a false detection.
      if id != nil, now - stateSince >= options.startDelay {
        enter(.checking, &step)
        return nil
      }
      return tips.first ?? .holdStill
    }
    if state == .start, now - lastSeen > options.grace { enter(.waiting, &step) }
    return tips.first ?? .prompt
  }

  // MARK: The check

  /// - Parameter measured: the measurements of the frame, requested by the state before it.
  /// - Returns: the tip for this frame; `nil` if it ended without one.
  private mutating func stepChecking(
    _ observation: Conditions.Observation?, _ person: Int?,
    _ measured: (outputs: FaceOutputs, brightness: Bool),
    _ step: inout Step
  ) -> Tip? {
    if options.timeout > .zero, now - stateSince > options.timeout {
      fail(.timeOut, in: .timeOut, &step)
      return nil
    }
    guard let observation, observation.face.track?.id == personTrack else {
      return stepWithoutPerson(observation, &step)
    }
    if wasAway, now - lastSeen > options.grace { resetProgress() }
    (lastSeen, wasAway) = (now, false)
    // From this frame on, more outputs are needed than were measured.
    guard neededOutputs.isSubset(of: measured.outputs), measured.brightness || !needsBrightness else {
      return .holdStill
    }
    if actionsDone < actions.count { return stepAction(observation) }
    let tips = conditions.tips(for: observation, .rest)
    guard tips.isEmpty else { return interruptHold(tips[0]) }
    hold.recordRight(at: now)
    let quality = observation.face.quality?.overall ?? 0
    if CaptureQuality.replaces(bestQuality, with: quality) {
      bestQuality = quality
      step.best = person
    }
    guard hold.isDone else { return .holdStill }
    enter(.finish, &step)
    step.isFinished = true
    return .done
  }

  /// Handles a frame without the face that is checked.
  private mutating func stepWithoutPerson(_ other: Conditions.Observation?, _ step: inout Step) -> Tip? {
    let isReplaced = other.map { $0.target.offset($0.face.box) <= 1 } ?? false
    if isReplaced || now - lastSeen > options.lost {
      guard options.startsOver else {
        fail(isReplaced ? .faceChanged : .faceLost, in: .failed, &step)
        return nil
      }
      waitForNextFace(&step)
      return isReplaced ? .holdStill : .prompt
    }
    wasAway = true
    if now - lastSeen > options.grace { resetProgress() }
    return interruptHold(.noFace)
  }

  private mutating func stepAction(_ observation: Conditions.Observation) -> Tip {
    let tips = conditions.tips(for: observation, .light)
    guard tips.isEmpty else { return tips[0] }
    var progress = action ?? ActionProgress(actions[actionsDone], options)
    let isDone = progress.update(with: observation.face, at: now)
    action = isDone ? nil : progress
    if isDone { actionsDone += 1 }
    return isDone ? .lookStraight : progress.tip
  }

  /// - Returns: the tip to show: the fault, unless it may be over in a moment.
  private mutating func interruptHold(_ tip: Tip) -> Tip {
    guard actionsDone == actions.count else { return tip }
    guard hold.recordWrong(at: now) else { return .holdStill }
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

  private mutating func fail(_ failure: CheckFailure, in state: CheckState, _ step: inout Step) {
    enter(state, &step)
    self.failure = failure
  }

  /// Discards actions, held time and the best picture.
  private mutating func resetProgress() {
    (actionsDone, action, bestQuality) = (0, nil, nil)
    hold = HoldTimer(needed: options.hold, grace: options.grace)
  }

  /// Goes back to waiting for a face.
  private mutating func waitForNextFace(_ step: inout Step) {
    resetProgress()
    (personTrack, wasAway) = (nil, false)
    waitingSince = now
    enter(.waiting, &step)
  }

  /// Adds the event that draws the face or clears the drawing; after the end, no face is drawn.
  private mutating func updateDrawing(_ person: Int?, _ step: inout Step) {
    if let person {
      isDrawn = true
      step.report.events.append(.draw(face: person))
    } else if isDrawn {
      isDrawn = false
      step.report.events.append(.clear)
    }
  }

  private func report(_ target: TargetCircle) -> CheckReport {
    CheckReport(
      attempt: attempt, state: state, tip: tips.shown, progress: hold.progress, actionsDone: actionsDone,
      actionCount: actions.count, circle: target.circle, events: [])
  }

  /// Returns the step with the report of the state after the frame.
  private func completed(_ step: Step, _ target: TargetCircle) -> Step {
    var step = step
    let events = step.report.events
    step.report = report(target)
    step.report.events = events
    step.report.isBest = step.best != nil
    return step
  }
}
