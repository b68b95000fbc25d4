public import ArgumentParser
public import FaceCore

/// Counting of visits on the command line, off by default.
public struct VisitArguments: ParsableArguments, Sendable {
  @Flag(
    help:
      "Count people: report who came and left, how long they stayed and how long they looked at the screen. Measures the head pose."
  )
  public var visits = false

  @OptionGroup public var numbers: OptionFlags<VisitOptions>

  public init() {}

  public func validate() throws {
    try ValidationError.reporting { _ = try options() }
  }

  public func options() throws(Status) -> VisitOptions {
    var options = VisitOptions()
    numbers.set(&options)
    try options.validate()
    return options
  }
}
