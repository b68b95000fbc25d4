import CProtocol
import FaceCore

/// The place of a measurement's numbers in a face's message, found by the measurement's name: a message with
/// a `float` for each number, in order, or a `repeated float`.
struct MeasurementField: Sendable {
  private enum Form: Sendable {
    case message(MessageForm, fields: [(offset: Int, name: String)])
    /// - Parameter count: the offset of the number of elements in the message.
    case list(count: Int)
  }

  private struct MessageForm: @unchecked Sendable {
    let descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  }

  private let row: FaceOutput
  private let offset: Int
  private let form: Form

  /// Returns `nil` for an output that is not a measurement.
  init?(_ row: FaceOutput) {
    guard row.count > 0 else { return nil }
    let name = UnsafeRawPointer(row.name.utf8Start).assumingMemoryBound(to: CChar.self)
    let found = protobuf_c_message_descriptor_get_field_by_name(Faceengine__V1__Face.descriptor, name)
    guard let field = found?.pointee else {
      preconditionFailure("Face in face_engine.proto has no \(row.name)")
    }
    self.row = row
    offset = Int(field.offset)
    if field.label == PROTOBUF_C_LABEL_REPEATED {
      form = .list(count: Int(field.quantifier_offset))
    } else {
      let descriptor = UnsafeRawPointer(field.descriptor).assumingMemoryBound(
        to: ProtobufCMessageDescriptor.self)
      let parts = UnsafeBufferPointer(
        start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
      precondition(parts.count == row.count, "\(row.name) has a field for each number")
      form = .message(
        MessageForm(descriptor: descriptor),
        fields: parts.map { (Int($0.offset), "\(row.name).\(String(cString: $0.name))") })
    }
  }

  func encode(_ face: Face, into message: inout Faceengine__V1__Face, _ arena: Arena) {
    guard let values = row.values(face) else { return }
    withUnsafeMutablePointer(to: &message) { encode(values, into: $0, arena) }
  }

  private func encode(_ values: [Float], into message: UnsafeMutableRawPointer, _ arena: Arena) {
    switch form {
    case .message(let part, let fields):
      let start = arena.allocate(UInt64.self, count: part.descriptor.pointee.sizeof_message / 8 + 1)
      let memory = UnsafeMutableRawPointer(start)
      protobuf_c_message_init(part.descriptor, memory)
      for (field, value) in zip(fields, values) {
        memory.storeBytes(of: value, toByteOffset: field.offset, as: Float.self)
      }
      message.storeBytes(of: memory, toByteOffset: offset, as: UnsafeMutableRawPointer.self)
    case .list(let count):
      let list = arena.allocate(Float.self, count: values.count)
      for (index, value) in values.enumerated() { list[index] = value }
      message.storeBytes(of: values.count, toByteOffset: count, as: Int.self)
      message.storeBytes(of: list, toByteOffset: offset, as: UnsafeMutablePointer<Float>.self)
    }
  }

  /// Throws `invalidArgument`, naming the field, if a number is not finite, or there are too few or too many.
  func decode(_ message: UnsafePointer<Faceengine__V1__Face>, into face: inout Face) throws(Status) {
    let message = UnsafeRawPointer(message)
    guard let start = message.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) else { return }
    var values: [Float] = []
    values.reserveCapacity(row.count)
    switch form {
    case .message(_, let fields):
      for field in fields {
        let value = start.load(fromByteOffset: field.offset, as: Float.self)
        values.append(try finite(value, field.name))
      }
    case .list(let count):
      let found = message.load(fromByteOffset: count, as: Int.self)
      guard found > 0 else { return }
      guard found == row.count else {
        throw Status(
          .invalidArgument, "\(row.name) has \(found) numbers and a face has \(row.count); send all")
      }
      for index in 0..<found {
        let value = start.load(fromByteOffset: index * MemoryLayout<Float>.size, as: Float.self)
        values.append(try finite(value, "\(row.name)"))
      }
    }
    row.set(&face, values)
  }

  private func finite(_ value: Float, _ field: @autoclosure () -> String) throws(Status) -> Float {
    guard value.isFinite else {
      throw Status(.invalidArgument, "\(field()) is \(value); send a finite number", .field(field()))
    }
    return value
  }
}
