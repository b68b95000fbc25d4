import FaceCore
import ResultJSON

/// Prints a report as a table.
enum BenchTable {
  static func text(_ report: BenchReport) -> String {
    let threads = report.threadsPerFrame == 1 ? "1 thread" : "\(report.threadsPerFrame) threads"
    var lines = [
      "face-engine \(EngineVersion.text), \(report.processor ?? "a processor without a name"), "
        + "\(report.processors) processors",
      "model \(report.model), \(report.networkEngine), \(threads) a frame, accuracy \(report.accuracy)",
      "\(report.rounds) rounds, \(report.frames) frames tracked, after \(report.warmUp) to warm up; "
        + (report.isProcessorTime ? "processor time" : "elapsed time"),
    ]
    for subject in report.subjects {
      lines += ["", title(subject), row("", ["searched", "", report.frames > 0 ? "tracked" : "", ""])]
      lines.append(row("stage", report.frames > 0 ? ["p50", "p99", "p50", "p99"] : ["p50", "p99"]))
      for stage in StageClock.Stage.allCases {
        let times = [subject.searched[stage], subject.tracked[stage]]
        guard times.contains(where: { $0 != nil }) else { continue }
        lines.append(row(name(stage), times.flatMap(cells)))
      }
      lines.append(row("all", cells(subject.searched.whole) + cells(subject.tracked.whole)))
      if !subject.costs.isEmpty { lines += costs(of: subject) }
    }
    return lines.joined(separator: "\n")
  }

  private static func costs(of subject: BenchSubject) -> [String] {
    ["", row("outputs", ["p50", "p99", "per face"])]
      + zip(CostStep.allCases, subject.costs).map { step, times in
        let perFace = subject.timePerFace(times).map(DurationText.of) ?? ""
        return row(name(step), cells(times.whole) + [perFace])
      }
  }

  private static func name(_ step: CostStep) -> String {
    switch step {
    case .boxes: "boxes"
    case .pointsAndPose: "+ points, pose"
    case .expressions: "+ expressions"
    }
  }

  private static func title(_ subject: BenchSubject) -> String {
    let faces = subject.faces == 1 ? "1 face" : "\(subject.faces) faces"
    return "\(subject.path): \(subject.size.width)×\(subject.size.height), seen by the network at "
      + "\(subject.inputSize.width)×\(subject.inputSize.height), \(faces)"
  }

  private static func name(_ stage: StageClock.Stage) -> String {
    switch stage {
    case .decode: "decode"
    case .convert: "convert"
    case .network: "network"
    case .boxes: "decode boxes"
    case .points: "points"
    case .tracking: "tracking"
    }
  }

  private static func cells(_ times: DurationSummary?) -> [String] {
    guard let times, times.count > 0 else { return ["", ""] }
    return [times.p50, times.p99].map(DurationText.of)
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    let columns = cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
    let line = name + String(repeating: " ", count: max(0, 16 - name.count)) + columns.joined()
    return line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
  }
}

/// Prints a report as JSON, with times in nanoseconds.
enum BenchJSON {
  static func text(_ report: BenchReport) -> String {
    var members: [(String, JSON)] = [("version", .string("\(EngineVersion.text)"))]
    if let processor = report.processor { members.append(("processor", .string(processor))) }
    members += [
      ("processors", .integer(report.processors)), ("threadsPerFrame", .integer(report.threadsPerFrame)),
      ("model", .string(report.model)), ("engine", .string(report.networkEngine)),
      ("accuracy", .string("\(report.accuracy)")), ("rounds", .integer(report.rounds)),
      ("frames", .integer(report.frames)), ("warmUp", .integer(report.warmUp)),
      ("time", .string(report.isProcessorTime ? "processor" : "wall")),
      ("images", .array(report.subjects.map { image($0, withFrames: report.frames > 0) })),
    ]
    return JSON.object(members).description
  }

  private static func image(_ subject: BenchSubject, withFrames: Bool) -> JSON {
    var members: [(String, JSON)] = [
      ("image", .string(subject.path)), ("width", .integer(subject.size.width)),
      ("height", .integer(subject.size.height)), ("inputWidth", .integer(subject.inputSize.width)),
      ("inputHeight", .integer(subject.inputSize.height)), ("faces", .integer(subject.faces)),
      ("searched", times(subject.searched)),
    ]
    if withFrames { members.append(("followed", times(subject.tracked))) }
    if !subject.costs.isEmpty {
      let costs = zip(CostStep.allCases, subject.costs).map { cost($0, $1, of: subject) }
      members.append(("costs", .array(costs)))
    }
    return .object(members)
  }

  private static func cost(_ step: CostStep, _ times: StageTimes, of subject: BenchSubject) -> JSON {
    let outputs = FaceOutputs.table.filter { step.outputs.contains($0.output) }
      .map { JSON.string("\($0.name)") }
    var members: [(String, JSON)] = [("outputs", .array(outputs)), ("whole", JSON(times.whole))]
    if let perFace = subject.timePerFace(times) { members.append(("perFace", JSON(perFace))) }
    return .object(members)
  }

  /// The times of the stages. A stage that never ran is left out.
  private static func times(_ times: StageTimes) -> JSON {
    let stages = StageClock.Stage.allCases.compactMap { stage in
      times[stage].map { ("\(stage)", JSON($0)) }
    }
    return .object([("whole", JSON(times.whole))] + stages)
  }
}
