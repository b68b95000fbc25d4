package import ArgumentParser
package import CallerOptions
package import FaceCore
package import ResultJSON

/// The options of an HTTP caller for a picture, with the names of the command line.
package struct DetectQuery: ParsableArguments {
  @OptionGroup package var image: ImageArguments
  @OptionGroup var detection: DetectionArguments
  @OptionGroup var measurements: OutputArguments
  @Option var constellation: ConstellationArgument?
  @Option var screen: ScreenArgument?
  @Option(name: .customLong("box"), transform: Flags.boxes) var boxes: [BoxArgument] = []

  package init() {}

  package func options() throws(Status) -> DetectionOptions {
    var options = try detection.options()
    options.outputs = measurements.outputs
    if constellation != nil { options.outputs.insert(.landmarks) }
    if screen != nil { options.outputs.insert(.gaze) }
    if !boxes.isEmpty { options.boxes = boxes.map(\.box) }
    try options.validate()
    guard options.minFaceSize <= Float(ImageLimits.maxSide) else {
      throw Status(
        .invalidArgument,
        "min_face_size is \(options.minFaceSize); give 0 to \(ImageLimits.maxSide), the longest side of a picture"
      )
    }
    return options
  }

  package var shown: ShownConstellation? {
    constellation.map {
      ShownConstellation(points: $0.points, isWithMesh: measurements.outputs.contains(.landmarks))
    }
  }
}

/// The options of a caller for the frames of a session that tracks faces.
package struct TrackQuery: ParsableArguments {
  @OptionGroup package var detecting: DetectQuery
  @OptionGroup package var following: FollowingArguments
  @OptionGroup package var counting: VisitArguments

  package init() {}
}

/// The options of a caller for a guided check.
package struct CheckQuery: ParsableArguments {
  @OptionGroup package var detecting: DetectQuery
  @OptionGroup package var following: FollowingArguments
  @OptionGroup package var check: CheckArguments

  package init() {}
}

/// Parses named values of a query, a JSON object or a tensor's parameters as command-line flags.
package enum Flags {
  /// The options without a value: those that a caller turns on.
  private static let switches = Set(
    OutputFlag.allCases.map(\.description) + [
      "mirrored", "prominent-only", "reidentify", "shuffle", "start-over", "visits",
    ])

  /// More than there are options. ArgumentParser takes time that grows with the square of the number of arguments.
  /// There may be many boxes, so they are one argument.
  private static let maxCount = 200
  /// Separates boxes. No value contains it.
  private static let separator = "\u{1f}"

  static func boxes(_ text: String) -> [BoxArgument] {
    text.split(separator: separator).compactMap { BoxArgument(argument: String($0)) }
  }

  /// The values of a query, in which 1 and 0 are a switch's true and false.
  package static func ofQuery(
    _ values: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    values.map { name, value in
      (name, switches.contains(name) ? ["1": "true", "0": "false"][value] ?? value : value)
    }
  }

  /// - Parameter values: names and values; a switch is "true" or "false".
  ///
  /// Throws `invalidArgument`, naming the wrong value.
  package static func parse<Arguments: ParsableArguments>(
    _ type: Arguments.Type, _ values: [(name: String, value: String)]
  ) throws(Status) -> Arguments {
    let count = values.count { $0.name != "box" }
    guard count <= maxCount else {
      throw Status(.invalidArgument, "\(count) options are given; send each option once")
    }
    var arguments: [String] = []
    var boxes: [String] = []
    for (name, value) in values {
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x61...0x7a).contains($0) || $0 == 0x2d }),
        !name.hasPrefix("-"), name != "help"
      else {
        throw Status(.invalidArgument, "there is no option \(JSON.string(name)); see /openapi.json")
      }
      guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
        throw Status(.invalidArgument, "the option \(name) has a control character; leave it out")
      }
      if name == "box" {
        guard BoxArgument(argument: value) != nil else {
          throw Status(.invalidArgument, "The value '\(value)' is invalid for 'box <box>'")
        }
        boxes.append(value)
        continue
      }
      switch (switches.contains(name), value) {
      case (true, "true"): arguments.append("--\(name)")
      case (true, "false"): break
      case (true, _): throw Status(.invalidArgument, "the option \(name) is on or off; give true or false")
      case (false, _): arguments.append("--\(name)=\(value)")
      }
    }
    if !boxes.isEmpty { arguments.append("--box=" + boxes.joined(separator: separator)) }
    do {
      return try Arguments.parse(arguments)
    } catch {
      throw Status(.invalidArgument, sentence(Arguments.message(for: error)))
    }
  }

  /// The first line of a parser's message, without the dashes of the command line.
  private static func sentence(_ message: String) -> String {
    let line = message.prefix { $0 != "\n" }
    let bare = line.hasPrefix("Error: ") ? line.dropFirst(7) : line
    return String(bare.hasPrefix("--") ? bare.dropFirst(2) : bare).replacing("'--", with: "'")
  }
}
