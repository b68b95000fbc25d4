import FaceCore

/// Reads a `.bin` file from its beginning: for each layer with weights a tag, the weights, then its biases.
/// Source: ncnn wiki, "param and model file structure".
struct WeightCursor {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Throws `failedPrecondition` if there are more weights than were read.
  func checkEnd() throws(Status) {
    guard position == bytes.count else {
      throw Status(.failedPrecondition, "the network's .bin file does not belong to its .param file")
    }
  }

  /// Returns 32-bit floats after their tag; throws `unimplemented` for weights in another form.
  mutating func tagged(_ count: Int) throws(Status) -> [Float] {
    let tag = try words(1)[0]
    guard tag == 0 else {
      throw Status(.unimplemented, "its weights are not all 32-bit floats")
    }
    return try floats(count)
  }

  mutating func floats(_ count: Int) throws(Status) -> [Float] {
    try words(count).map { Float(bitPattern: $0) }
  }

  private mutating func words(_ count: Int) throws(Status) -> [UInt32] {
    guard count <= (bytes.count - position) / 4 else {
      throw Status(.failedPrecondition, "the network's .bin file is shorter than its .param file needs")
    }
    defer { position += count * 4 }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + $0 * 4, as: UInt32.self))
      }
    }
  }
}
