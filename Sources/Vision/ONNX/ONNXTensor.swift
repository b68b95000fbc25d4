import FaceCore

/// A tensor as stored in an ONNX file.
struct ONNXTensor {
  private(set) var name = ""
  private var dimensions: [Int] = []
  private var type = 0
  /// The values as little-endian bytes, or one by one.
  private var raw: Range<Int>?
  private var floats: [Float] = []
  private var integers: [Int] = []
  private var isExternal = false

  init(_ bytes: [UInt8], in range: Range<Int>) throws(Status) {
    var reader = ProtobufReader(bytes, in: range)
    while let field = try reader.next() {
      let value = field.value
      switch field.number {
      case 1: dimensions += try value.integers(in: bytes)
      case 2: type = try value.integer()
      case 4: floats += try value.floats(in: bytes)
      case 5, 7, 11: integers += try value.integers(in: bytes)
      case 8: name = try value.text(in: bytes)
      case 9: raw = try value.range()
      case 10: floats += try value.doubles(in: bytes)
      case 13: isExternal = true
      case 14: isExternal = try value.integer() == 1
      default: break
      }
    }
  }

  /// onnx.proto's numbers of the supported types.
  private enum NumberType: Int {
    case float = 1
    case uint8 = 2
    case int8 = 3
    case int32 = 6
    case int64 = 7
    case bool = 9
    case float16 = 10
    case double = 11
    case bfloat16 = 16
  }

  /// Throws `failedPrecondition` if the values are in another file.
  func checkPlace() throws(Status) {
    guard !isExternal else {
      throw Status(
        .failedPrecondition,
        "the ONNX file keeps its tensor \(name.quoted) in another file (external data), which this engine does not read; save the "
          + "network with all its weights in one .onnx file")
    }
  }

  /// Returns the values. Throws `failedPrecondition` if values are missing or in another file,
  /// `unimplemented` for values of another type.
  func constant(in bytes: [UInt8]) throws(Status) -> ONNXConstant {
    try checkPlace()
    guard let number = NumberType(rawValue: type) else {
      throw Status(
        .unimplemented,
        "the ONNX file's tensor \(name.quoted) has numbers of type \(type), which this engine does not read; save it with 32-bit floats"
      )
    }
    let values = try values(number, in: bytes)
    guard let constant = ONNXConstant(dimensions, values) else {
      throw Status(
        .failedPrecondition,
        "the ONNX file's tensor \(name.quoted) has \(values.count) numbers, which do not fit its shape "
          + "\(dimensions); the file is damaged, fetch it again")
    }
    return constant
  }

  private func values(_ number: NumberType, in bytes: [UInt8]) throws(Status) -> ONNXConstant.Values {
    guard let raw else {
      switch number {
      case .float, .double: return .floats(floats)
      case .float16: return .floats(integers.map { Float(half: UInt16(truncatingIfNeeded: $0)) })
      case .bfloat16:
        return .floats(integers.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0) << 16) })
      case .uint8, .int8, .int32, .int64, .bool: return .integers(integers)
      }
    }
    switch number {
    case .float: return .floats(try bytes.words(raw, as: UInt32.self).map { Float(bitPattern: $0) })
    case .double:
      return .floats(try bytes.words(raw, as: UInt64.self).map { Float(Double(bitPattern: $0)) })
    case .float16: return .floats(try bytes.words(raw, as: UInt16.self).map { Float(half: $0) })
    case .bfloat16:
      return .floats(try bytes.words(raw, as: UInt16.self).map { Float(bitPattern: UInt32($0) << 16) })
    case .uint8, .bool: return .integers(bytes[raw].map { Int($0) })
    case .int8: return .integers(bytes[raw].map { Int(Int8(bitPattern: $0)) })
    case .int32: return .integers(try bytes.words(raw, as: Int32.self).map { Int($0) })
    case .int64: return .integers(try bytes.words(raw, as: Int64.self).map { Int($0) })
    }
  }
}

extension Float {
  /// Converts a 16-bit float. Source: IEEE 754-2019, binary16.
  init(half bits: UInt16) {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10 & 31)
    let fraction = UInt32(bits & 1023)
    switch exponent {
    case 0:
      // Subnormal: a multiple of 2⁻²⁴.
      let size = Float(fraction) / 16_777_216
      self = sign == 0 ? size : -size
    case 31: self.init(bitPattern: sign | 0x7f80_0000 | fraction << 13)
    default: self.init(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }
}
