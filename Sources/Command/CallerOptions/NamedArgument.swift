public import ArgumentParser

/// An enumeration of numbers, given by the names of its cases.
public protocol NamedArgument: ExpressibleByArgument, CaseIterable, RawRepresentable
where RawValue: ExpressibleByArgument {}

extension NamedArgument {
  public init?(argument: String) {
    guard let value = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = value
  }

  public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
