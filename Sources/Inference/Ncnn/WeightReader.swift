import CNCNN
import FaceCore
import Synchronization

/// Feeds a `.bin` file to ncnn and never past its end, which ncnn's own memory reader would.
enum WeightReader {
  /// What is left to read. ncnn's callback carries nothing of ours but the reader: its address is the key.
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
      let taken = WeightReader.take(count, from: UInt(bitPattern: reader))
      taken.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let target else { return }
        target.copyMemory(from: source, byteCount: bytes.count)
      }
      return taken.count
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

  private static func take(_ count: Int, from key: UInt) -> ArraySlice<UInt8> {
    remaining.withLock { remaining in
      let taken = remaining[key]?.prefix(count) ?? []
      remaining[key] = remaining[key]?.dropFirst(taken.count)
      return taken
    }
  }
}
