import CProtocol
import FaceCore

/// A generated C message. Each begins with `ProtobufCMessage base`, which protobuf-c's functions take.
protocol Message: SendableMetatype {
  init()
  var base: ProtobufCMessage { get }
  /// Sets every field to its default, and `base` to the type of the message.
  static func initialize(_ message: UnsafeMutablePointer<Self>)
}

extension Message {
  /// protobuf-c's description of such messages.
  static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {
    guard let descriptor = defaults.base.descriptor else {
      preconditionFailure("a generated message describes itself")
    }
    return descriptor
  }

  /// A message with every field at its default.
  static var defaults: Self {
    var message = Self()
    initialize(&message)
    return message
  }
}

/// A value that is one message on the wire.
protocol WireValue: SendableMetatype {
  associatedtype Wire: Message
  /// Sets the fields of a message that has its defaults.
  func encode(into message: inout Wire, _ arena: Arena)
  /// Throws `invalidArgument`, naming the field, for a text or a number that is not valid.
  init(decoding message: Wire) throws(Status)
}

extension UnsafeMutablePointer where Pointee: Message {
  /// The message as protobuf-c's functions take it.
  var base: UnsafePointer<ProtobufCMessage> {
    UnsafeRawPointer(self).assumingMemoryBound(to: ProtobufCMessage.self)
  }
}

extension Arena {
  /// Allocates a message with every field at its default.
  func message<Value: Message>(_ type: Value.Type) -> UnsafeMutablePointer<Value> {
    let message = allocate(type)
    Value.initialize(message)
    return message
  }

  func message<Value: WireValue>(_ value: Value) -> UnsafeMutablePointer<Value.Wire> {
    let message = self.message(Value.Wire.self)
    value.encode(into: &message.pointee, self)
    return message
  }

  func optional<Value: WireValue>(_ value: Value?) -> UnsafeMutablePointer<Value.Wire>? {
    value.map { message($0) }
  }

  /// Makes a repeated field: its count and pointer.
  func list<Element, Value>(
    _ elements: some Collection<Element>, _ encode: (Element) -> Value
  ) -> (Int, UnsafeMutablePointer<Value>) {
    let list = allocate(Value.self, count: elements.count)
    for (index, element) in elements.enumerated() { list[index] = encode(element) }
    return (elements.count, list)
  }

  func list<Value: WireValue>(
    _ values: [Value]
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Value.Wire>?>) {
    list(values) { message($0) }
  }

  func list(_ texts: [String]) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    list(texts) { string($0) }
  }
}

extension Decoder {
  /// The value in a field; one that is absent has the defaults of its message.
  static func value<Value: WireValue>(
    _ message: UnsafeMutablePointer<Value.Wire>?
  ) throws(Status) -> Value {
    // Two calls: one with either message would copy it first.
    guard let message else { return try Value(decoding: .defaults) }
    return try Value(decoding: message.pointee)
  }

  /// The value in a field; `nil` if it is absent.
  static func optional<Value: WireValue>(
    _ message: UnsafeMutablePointer<Value.Wire>?
  ) throws(Status) -> Value? {
    guard let message else { return nil }
    return try Value(decoding: message.pointee)
  }

  /// The values in a repeated field.
  static func list<Value: WireValue>(
    _ messages: UnsafeMutablePointer<UnsafeMutablePointer<Value.Wire>?>?, _ count: Int
  ) throws(Status) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      if let message = messages?[index] { values.append(try Value(decoding: message.pointee)) }
    }
    return values
  }

  /// The texts in a repeated field. Throws `invalidArgument` if one is not UTF-8.
  static func list(
    _ texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int, _ field: StaticString
  ) throws(Status) -> [String] {
    var strings: [String] = []
    for index in 0..<count { strings.append(try text(texts?[index], field)) }
    return strings
  }

  /// The case of an enumeration. Throws `invalidArgument`, naming the field, for a number that is none.
  /// - Parameter expected: what to send instead.
  static func known<Value: RawRepresentable>(
    _ number: UInt32, _ field: StaticString, send expected: @autoclosure () -> String = "a \(Value.self)"
  ) throws(Status) -> Value where Value.RawValue: FixedWidthInteger {
    guard let raw = Value.RawValue(exactly: number), let value = Value(rawValue: raw) else {
      throw Status(
        .invalidArgument,
        "\(field) is \(Int32(bitPattern: number)), which this version does not know; send \(expected()), or install a newer engine",
        .field("\(field)"))
    }
    return value
  }
}
