/// An options struct with a table of its numeric options. The table provides the range checks, the fields of
/// its message and of its C struct, flags of the command line, and tables of the documentation.
public protocol OptionTable {
  static var fields: [OptionField] { get }
  /// All defaults.
  init()
}

extension OptionTable {
  public subscript(field: OptionField) -> OptionValue {
    get { withUnsafePointer(to: self) { field.load(from: $0) } }
    set { withUnsafeMutablePointer(to: &self) { field.store(newValue, in: $0) } }
  }

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func validate(_ fields: [OptionField]) throws(Status) {
    try withUnsafePointer(to: self) { (options) throws(Status) in
      try OptionField.validate(fields, of: options)
    }
  }
}

public enum OptionValue: Equatable, Sendable {
  case number(Float)
  case count(Int)
  case time(TimeSpan)
}

/// One number of an options struct: its name in C, on the wire and in the documentation, its offset, its
/// range, and its meaning.
public struct OptionField: Sendable {
  public enum Kind: Sendable {
    case number, count, nanoseconds
  }

  /// The name, as in face_engine.h and face_engine.proto.
  public let name: StaticString
  public let kind: Kind
  public let meaning: StaticString
  private let givenFlag: StaticString?
  private let offset: Int
  public let least: Double
  /// The upper bound; infinite if there is none.
  public let most: Double

  /// - Parameter flag: the name on the command line, if that is not `name` with dashes; empty if it cannot be set there.
  @inline(__always)
  public init<Options>(
    _ name: StaticString, flag: StaticString? = nil,
    _ path: KeyPath<Options, Float>, _ range: ClosedRange<Double>, _ meaning: StaticString
  ) {
    self.init(name, flag, .number, MemoryLayout<Options>.offset(of: path), range, meaning)
  }

  @inline(__always)
  public init<Options>(
    _ name: StaticString, flag: StaticString? = nil,
    _ path: KeyPath<Options, Int>, _ range: ClosedRange<Double>, _ meaning: StaticString
  ) {
    self.init(name, flag, .count, MemoryLayout<Options>.offset(of: path), range, meaning)
  }

  @inline(__always)
  public init<Options>(
    _ name: StaticString, flag: StaticString? = nil,
    _ path: KeyPath<Options, TimeSpan>, _ range: ClosedRange<Double>, _ meaning: StaticString
  ) {
    self.init(name, flag, .nanoseconds, MemoryLayout<Options>.offset(of: path), range, meaning)
  }

  @inline(__always)
  private init(
    _ name: StaticString, _ flag: StaticString?, _ kind: Kind, _ offset: Int?,
    _ range: ClosedRange<Double>, _ meaning: StaticString
  ) {
    guard let offset else { preconditionFailure("an option is a stored member") }
    (self.name, self.givenFlag, self.kind, self.offset) = (name, flag, kind, offset)
    (least, most, self.meaning) = (range.lowerBound, range.upperBound, meaning)
  }

  package func load(from options: UnsafeRawPointer) -> OptionValue {
    switch kind {
    case .number: .number(options.load(fromByteOffset: offset, as: Float.self))
    case .count: .count(options.load(fromByteOffset: offset, as: Int.self))
    case .nanoseconds: .time(options.load(fromByteOffset: offset, as: TimeSpan.self))
    }
  }

  package func store(_ value: OptionValue, in options: UnsafeMutableRawPointer) {
    switch (kind, value) {
    case (.number, .number(let value)): options.storeBytes(of: value, toByteOffset: offset, as: Float.self)
    case (.count, .count(let value)): options.storeBytes(of: value, toByteOffset: offset, as: Int.self)
    case (.nanoseconds, .time(let value)):
      options.storeBytes(of: value, toByteOffset: offset, as: TimeSpan.self)
    default: preconditionFailure("an option keeps its kind")
    }
  }

  fileprivate static func validate(
    _ fields: [OptionField], of options: UnsafeRawPointer
  ) throws(Status) {
    for field in fields { try field.validate(field.load(from: options)) }
  }

  private func validate(_ value: OptionValue) throws(Status) {
    let (number, text) =
      switch value {
      case .number(let value): (Double(value), "\(value)")
      case .count(let value): (Double(value), "\(value)")
      case .time(let value): (Double(value.nanoseconds), "\(value.nanoseconds) ns")
      }
    guard number.isFinite, number >= least, number <= most else {
      throw Status(.invalidArgument, "\(name) is \(text); give \(range)")
    }
  }

  /// The range, as in "0 to 1"; "0 or more" where there is no upper bound.
  public var range: String {
    most.isFinite
      ? "\(OptionField.text(least)) to \(OptionField.text(most))" : "\(OptionField.text(least)) or more"
  }

  /// The name on the command line and in queries, where times are in seconds; `nil` if it cannot be set there.
  public var flag: String? {
    if let givenFlag { return givenFlag.utf8CodeUnitCount == 0 ? nil : "\(givenFlag)" }
    return words.joined(separator: "-")
  }

  private var words: [Substring] { "\(name)".split(separator: "_").filter { $0 != "ns" } }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
