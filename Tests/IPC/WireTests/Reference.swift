import CProtocol
import FaceCore

/// Envelopes as protobuf-c encodes and decodes them: slow and dependable.
enum Reference {
  static func request(
    service: String, method: String, payload: [UInt8], timeout: Int64, metadata: [(String, String)] = []
  ) -> [UInt8] {
    let pool = Pool()
    var request = Ttrpc__Request()
    ttrpc__request__init(&request)
    request.service = pool.string(service)
    request.method = pool.string(method)
    request.payload = pool.bytes(payload)
    request.timeout_nano = timeout
    let pairs = pool.array(metadata.count, of: UnsafeMutablePointer<Ttrpc__KeyValue>?.self)
    for (index, pair) in metadata.enumerated() {
      let item = pool.array(1, of: Ttrpc__KeyValue.self)
      ttrpc__key_value__init(item)
      item.pointee.key = pool.string(pair.0)
      item.pointee.value = pool.string(pair.1)
      pairs[index] = item
    }
    request.n_metadata = metadata.count
    request.metadata = pairs
    return [UInt8](unsafeUninitializedCapacity: ttrpc__request__get_packed_size(&request)) { buffer, count in
      count = ttrpc__request__pack(&request, buffer.baseAddress)
    }
  }

  static func response(status: Status?, payload: [UInt8]) -> [UInt8] {
    let pool = Pool()
    var response = Ttrpc__Response()
    ttrpc__response__init(&response)
    if let status {
      let message = pool.array(1, of: Ttrpc__Status.self)
      ttrpc__status__init(message)
      message.pointee.code = status.code.rawValue
      message.pointee.message = pool.string(status.message)
      response.status = message
    }
    response.payload = pool.bytes(payload)
    return [UInt8](unsafeUninitializedCapacity: ttrpc__response__get_packed_size(&response)) {
      buffer, count in
      count = ttrpc__response__pack(&response, buffer.baseAddress)
    }
  }

  /// The details in the status of a `ttrpc.Response`; `nil` if it has no status.
  static func details(ofResponse bytes: [UInt8]) -> [(type: String, value: [UInt8])]? {
    guard let response = ttrpc__response__unpack(nil, bytes.count, bytes) else { return nil }
    defer { ttrpc__response__free_unpacked(response, nil) }
    guard let status = response.pointee.status?.pointee else { return nil }
    return (0..<status.n_details).compactMap { index in
      status.details[index].map { detail in
        let value = detail.pointee.value
        return (
          String(cString: detail.pointee.type_url),
          Array(UnsafeBufferPointer(start: value.data, count: value.len))
        )
      }
    }
  }

  /// Any message of the engine, built field by field.
  static func pack<Value>(
    _ initialize: (UnsafeMutablePointer<Value>) -> Void, _ body: (inout Value, Pool) -> Void
  ) -> [UInt8] {
    let pool = Pool()
    let message = pool.array(1, of: Value.self)
    initialize(message)
    body(&message.pointee, pool)
    let base = UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self)
    return [UInt8](unsafeUninitializedCapacity: protobuf_c_message_get_packed_size(base)) { buffer, count in
      count = protobuf_c_message_pack(base, buffer.baseAddress)
    }
  }
}

/// Memory that lives as long as the pool.
final class Pool {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit {
    for block in blocks { block.deallocate() }
  }

  func array<Value>(_ count: Int, of type: Value.Type) -> UnsafeMutablePointer<Value> {
    let size = max(1, count) * MemoryLayout<Value>.stride
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    blocks.append(block)
    return block.bindMemory(to: type, capacity: count)
  }

  func string(_ text: String) -> UnsafeMutablePointer<CChar> {
    let start = array(text.utf8.count + 1, of: CChar.self)
    for (index, byte) in text.utf8CString.enumerated() { start[index] = byte }
    return start
  }

  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    let start = array(bytes.count, of: UInt8.self)
    for (index, byte) in bytes.enumerated() { start[index] = byte }
    return ProtobufCBinaryData(len: bytes.count, data: start)
  }
}
