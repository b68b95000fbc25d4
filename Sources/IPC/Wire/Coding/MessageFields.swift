import CProtocol
import FaceCore

/// A field of a message, found by its name in face_engine.proto. protobuf-c's description of the message
/// gives its offset.
struct MessageField: Sendable {
  let number: UInt32
  private let offset: Int
  /// For a field that is alone in a `oneof`: the offset at which the message has the number of the field that
  /// is present.
  private let presence: Int?
  /// Whether an integer has 64 bits.
  private let isWide: Bool

  /// Returns `nil` if messages of that kind have no such field.
  init?(_ name: StaticString, of descriptor: UnsafePointer<ProtobufCMessageDescriptor>) {
    let text = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    guard let field = protobuf_c_message_descriptor_get_field_by_name(descriptor, text)?.pointee else {
      return nil
    }
    let isAlone = field.flags & UInt32(PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue) != 0
    number = field.id
    offset = Int(field.offset)
    presence = isAlone ? Int(field.quantifier_offset) : nil
    isWide = field.type == PROTOBUF_C_TYPE_UINT64
  }

  /// Whether the message says of the field that it is absent.
  var mayBeAbsent: Bool { presence != nil }

  @inline(__always)
  func store<Value: BitwiseCopyable>(_ value: Value, in message: UnsafeMutableRawPointer) {
    message.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    if let presence { message.storeBytes(of: number, toByteOffset: presence, as: UInt32.self) }
  }

  /// The value; `nil` if the message says that the field is absent.
  @inline(__always)
  func load<Value: BitwiseCopyable>(_: Value.Type, from message: UnsafeRawPointer) -> Value? {
    if let presence, message.load(fromByteOffset: presence, as: UInt32.self) != number { return nil }
    return message.load(fromByteOffset: offset, as: Value.self)
  }

  /// Stores a value: a negative number as 0, one that is too large as the largest possible.
  func store(_ value: OptionValue, in message: UnsafeMutableRawPointer) {
    let whole: UInt64
    switch value {
    case .number(let number): return store(number, in: message)
    case .count(let count): whole = UInt64(clamping: count)
    case .time(let time): whole = UInt64(clamping: time)
    }
    if isWide { store(whole, in: message) } else { store(UInt32(clamping: whole), in: message) }
  }

  /// The value; `nil` if the message says that the field is absent.
  func load(_ kind: OptionField.Kind, from message: UnsafeRawPointer) -> OptionValue? {
    if kind == .number { return load(Float.self, from: message).map(OptionValue.number) }
    let whole = isWide ? load(UInt64.self, from: message) : load(UInt32.self, from: message).map(UInt64.init)
    guard let whole else { return nil }
    return kind == .count ? .count(Int(clamping: whole)) : .time(TimeSpan(clamping: whole))
  }
}

/// The numbers of an options struct and the fields of its message, paired by name.
struct MessageFields: Sendable {
  private let pairs: [(option: OptionField, field: MessageField)]

  init(_ options: [OptionField], of descriptor: UnsafePointer<ProtobufCMessageDescriptor>) {
    pairs = options.map { option in
      guard let field = MessageField(option.name, of: descriptor) else {
        preconditionFailure("an option is a field of its message")
      }
      return (option, field)
    }
  }

  /// Leaves fields out whose absence says the same: an engine that does not know an option then does not refuse its
  /// default.
  func encode<Options: OptionTable>(_ options: Options, into message: inout some Message) {
    withUnsafeMutablePointer(to: &message) { message in
      withUnsafePointer(to: options) { options in
        withUnsafePointer(to: Options()) { encode(at: options, defaults: $0, into: message) }
      }
    }
  }

  private func encode(
    at options: UnsafeRawPointer, defaults: UnsafeRawPointer, into message: UnsafeMutableRawPointer
  ) {
    for (option, field) in pairs {
      let value = option.load(from: options)
      if !field.mayBeAbsent || value != option.load(from: defaults) { field.store(value, in: message) }
    }
  }

  /// Decodes into `options`. Numbers of absent fields stay as they are.
  func decode(_ message: some Message, into options: inout some OptionTable) {
    withUnsafePointer(to: message) { message in
      withUnsafeMutablePointer(to: &options) { decode(message, at: $0) }
    }
  }

  private func decode(_ message: UnsafeRawPointer, at options: UnsafeMutableRawPointer) {
    for (option, field) in pairs {
      if let value = field.load(option.kind, from: message) { option.store(value, in: options) }
    }
  }
}
