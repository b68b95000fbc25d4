package import ArgumentParser
package import FaceCore
package import Presentation

/// The options of an HTTP caller for a picture, with the names of the command line.
package struct DetectQuery: ParsableArguments {
  @OptionGroup var detection: DetectionArguments
  @OptionGroup var measurements: OutputArguments
  @Option var constellation: ConstellationArgument?
  @Option var screen: ScreenArgument?
  @Option(name: .customLong("box")) var boxes: [BoxArgument] = []

  package init() {}

  package func options() throws(Status) -> DetectionOptions {
    var options = try detection.options()
    options.outputs = measurements.outputs
    if constellation != nil { options.outputs.insert(.landmarks) }
    if screen != nil { options.outputs.insert(.gaze) }
    options.boxes = boxes.map(\.box)
    try options.validate()
    guard options.minFaceSize <= Float(ImageLimits.maxSide) else {
      throw Status(
        .invalidArgument,
        "minimum face size is \(options.minFaceSize); give 0 to \(ImageLimits.maxSide), the longest side of a picture"
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
  /// - Parameter values: names and values; a flag without a value is "true", and "false" leaves it out.
  ///
  /// Throws `invalidArgument`, naming the wrong value.
  package static func parse<Arguments: ParsableArguments>(
    _ type: Arguments.Type, _ values: [(name: String, value: String)]
  ) throws(Status) -> Arguments {
    var arguments: [String] = []
    for (name, value) in values {
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x61...0x7a).contains($0) || $0 == 0x2d }),
        !name.hasPrefix("-"), name != "help"
      else {
        throw Status(.invalidArgument, "there is no option \(JSON.string(name)); see /openapi.json")
      }
      if value.isEmpty, isFlag(name, of: type) {
        throw Status(.invalidArgument, "the option \(name) has an empty value; give true, or leave it out")
      }
      if value == "false" {
        guard isFlag(name, of: type) else {
          throw Status(
            .invalidArgument, "the option \(name) cannot be false; leave it out, or give its value")
        }
      } else {
        arguments.append(value == "true" ? "--\(name)" : "--\(name)=\(value)")
      }
    }
    do {
      return try Arguments.parse(arguments)
    } catch {
      throw Status(.invalidArgument, sentence(Arguments.message(for: error)))
    }
  }

  /// Whether an option takes no value.
  private static func isFlag(_ name: String, of type: (some ParsableArguments).Type) -> Bool {
    do {
      _ = try type.parse(["--\(name)"])
      return true
    } catch {
      // A flag may need others; what is no flag lacks a value, or is not known.
      let text = sentence(type.message(for: error))
      return !text.hasPrefix("Missing value") && !text.hasPrefix("Unknown option")
    }
  }

  /// The first line of a parser's message, without the dashes of the command line.
  private static func sentence(_ message: String) -> String {
    let line = message.prefix { $0 != "\n" }
    let bare = line.hasPrefix("Error: ") ? line.dropFirst(7) : line
    return String(bare).replacing("'--", with: "'")
  }
}
