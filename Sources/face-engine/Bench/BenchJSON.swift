import FaceCore

/// A report for programs; every time is in nanoseconds.
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
    if withFrames { members.append(("followed", times(subject.followed))) }
    return .object(members)
  }

  /// A stage that never ran has no member.
  private static func times(_ times: StageTimes) -> JSON {
    let stages = StageClock.Stage.allCases.compactMap { stage in
      times[stage].map { ("\(stage)", JSON($0)) }
    }
    return .object([("whole", JSON(times.whole))] + stages)
  }
}
