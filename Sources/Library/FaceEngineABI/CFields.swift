import FaceCore

/// The numbers of an options struct and the members of its C struct, paired by name.
struct CFields: Sendable {
  let pairs: [(option: OptionField, offset: Int)]

  /// - Parameter members: one for each of `options`.
  init(_ options: [OptionField], _ members: [CMember]) {
    pairs = options.map { option in
      guard let member = members.first(where: { "\($0.name)" == "\(option.name)" }) else {
        preconditionFailure("\(option.name) has no member in C")
      }
      return (option, member.offset)
    }
  }

  func read(_ members: UnsafeRawPointer, into options: inout some OptionTable) {
    withUnsafeMutablePointer(to: &options) { read(members, at: $0) }
  }

  private func read(_ members: UnsafeRawPointer, at options: UnsafeMutableRawPointer) {
    for (option, offset) in pairs {
      let value: OptionValue =
        switch option.kind {
        case .number: .number(members.load(fromByteOffset: offset, as: Float.self))
        case .count: .count(Int(members.load(fromByteOffset: offset, as: UInt32.self)))
        case .nanoseconds:
          .time(TimeSpan(clamping: members.load(fromByteOffset: offset, as: UInt64.self)))
        }
      option.store(value, in: options)
    }
  }

  func write(_ options: some OptionTable, to members: UnsafeMutableRawPointer) {
    withUnsafePointer(to: options) { write(at: $0, to: members) }
  }

  private func write(at options: UnsafeRawPointer, to members: UnsafeMutableRawPointer) {
    for (option, offset) in pairs {
      switch option.load(from: options) {
      case .number(let value): members.storeBytes(of: value, toByteOffset: offset, as: Float.self)
      case .count(let value):
        members.storeBytes(of: UInt32(clamping: value), toByteOffset: offset, as: UInt32.self)
      case .time(let value):
        members.storeBytes(of: UInt64(clamping: value), toByteOffset: offset, as: UInt64.self)
      }
    }
  }
}

/// A switch of a C struct: a `uint32_t` that is 0 or 1, 0 by default.
struct CSwitch: Sendable {
  let name: StaticString
  let flag: StaticString
  let offset: Int
  /// The meaning in one sentence.
  let meaning: StaticString

  @inline(__always)
  init<Struct>(
    _ name: StaticString, flag: StaticString, _ path: KeyPath<Struct, UInt32>, _ meaning: StaticString
  ) {
    (self.name, self.flag, self.meaning) = (name, flag, meaning)
    offset = CMember(name, path).offset
  }
}

/// A number of a C struct: a `float`, a `uint32_t` for a count, or a `uint64_t` for nanoseconds.
struct CMember {
  let name: StaticString
  let offset: Int

  @inline(__always)
  init<Struct, Value>(_ name: StaticString, _ path: KeyPath<Struct, Value>) {
    guard let offset = MemoryLayout<Struct>.offset(of: path) else {
      preconditionFailure("a C struct stores its members")
    }
    (self.name, self.offset) = (name, offset)
  }
}
