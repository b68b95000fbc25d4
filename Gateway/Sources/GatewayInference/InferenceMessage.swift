import GatewayCoding
import ResultJSON

/// A message of the protocol, said once for both transports: JSON has the names of its fields, protobuf their numbers.
struct InferenceMessage: Sendable {
  enum Value: Sendable {
    case text(String)
    case texts([String])
    case flag(Bool)
    case number(UInt64)
    case shape([Int64])
    /// A value of an enumeration.
    case named(String, UInt64)
    case message(InferenceMessage)
    case messages([InferenceMessage])
  }

  typealias Field = (name: String, number: Int, value: Value)

  /// A field that only JSON has is number 0.
  var fields: [Field]

  init(_ fields: [Field]) {
    self.fields = fields
  }

  var json: JSON { .object(fields.map { ($0.name, $0.value.json) }) }

  func write(to writer: inout ProtobufWriter) {
    for (_, number, value) in fields where number > 0 {
      switch value {
      case .text(let text): writer.text(number, text)
      case .texts(let texts): for text in texts { writer.text(number, text) }
      case .flag(let isOn): writer.boolean(number, isOn)
      case .number(let value), .named(_, let value): writer.varint(number, value)
      case .shape(let sides): writer.packed(number, sides)
      case .message(let message): writer.message(number) { message.write(to: &$0) }
      case .messages(let messages):
        for message in messages { writer.message(number) { message.write(to: &$0) } }
      }
    }
  }
}

extension InferenceMessage.Value {
  fileprivate var json: JSON {
    switch self {
    case .text(let text), .named(let text, _): .string(text)
    case .texts(let texts): .array(texts.map { .string($0) })
    case .flag(let isOn): .boolean(isOn)
    case .number(let value): .integer(Int(clamping: value))
    case .shape(let sides): .array(sides.map { .integer(Int($0)) })
    case .message(let message): message.json
    case .messages(let messages): .array(messages.map(\.json))
    }
  }
}
