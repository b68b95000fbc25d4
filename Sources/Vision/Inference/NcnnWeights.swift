import CNCNN
import FaceCore
import Synchronization

/// Feeds a `.bin` file to ncnn and stops at its end; ncnn's own memory reader would read on.
enum WeightReader {
  /// The unread bytes, by the reader's address: the only thing that ncnn passes to its callback.
  private static let remaining = Mutex<[UInt: ArraySlice<UInt8>]>([:])

  static func load(_ weights: [UInt8], into net: ncnn_net_t) throws(Status) {
    guard let reader = ncnn_datareader_create() else {
      throw Status(.resourceExhausted, "no memory to load the network; try again when some is free")
    }
    defer { ncnn_datareader_destroy(reader) }
    let key = UInt(bitPattern: reader)
    remaining.withLock { $0[key] = weights[...] }
    defer { remaining.withLock { $0[key] = nil } }

    reader.pointee.read = { reader, target, count in
      let chunk = WeightReader.next(count, from: UInt(bitPattern: reader))
      chunk.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let target else { return }
        target.copyMemory(from: source, byteCount: bytes.count)
      }
      return chunk.count
    }
    let result = ncnn_net_load_model_datareader(net, reader)
    let left = remaining.withLock { $0[key]?.count ?? 0 }
    guard result == 0, left == 0 else {
      throw Status(
        .failedPrecondition,
        left == 0
          ? "the network's .bin file is shorter than its .param file needs; fetch both again"
          : "the network's .bin file does not belong to its .param file (\(left) bytes left over); fetch both again"
      )
    }
  }

  private static func next(_ count: Int, from key: UInt) -> ArraySlice<UInt8> {
    remaining.withLock { remaining in
      let bytes = remaining[key]?.prefix(count) ?? []
      remaining[key] = remaining[key]?.dropFirst(bytes.count)
      return bytes
    }
  }
}

/// Reads a `.bin` file from its beginning: for each layer with weights a tag, the weights, then its biases.
/// Source: ncnn wiki, "param and model file structure".
struct WeightCursor {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

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
