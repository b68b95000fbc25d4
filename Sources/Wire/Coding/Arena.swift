import CProtocol

/// Memory for one message: taken in small steps, given back all at once.
///
/// protobuf-c takes its memory here, so that a message which costs far more decoded than encoded is refused (an unknown
/// field of 2 bytes takes 48), and nothing is left behind on any of its error paths.
final class Arena {
  private static let blockSize = 1024
  private static let alignment = 16

  private let cap: Int
  private var used = 0
  private var blocks: [UnsafeMutableRawPointer] = []
  private var next = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Whether memory was refused because of `cap`.
  private(set) var isExhausted = false

  /// - Parameter cap: most bytes in all.
  init(cap: Int = .max) {
    self.cap = cap
  }

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Uninitialised; `nil` beyond the cap.
  func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard size >= 0, size <= cap - used else {
      isExhausted = true
      return nil
    }
    let rounded = (size + Self.alignment - 1) & ~(Self.alignment - 1)
    used += rounded
    if rounded > Self.blockSize / 2 { return newBlock(rounded) }
    if rounded > next.count {
      next = UnsafeMutableRawBufferPointer(start: newBlock(Self.blockSize), count: Self.blockSize)
    }
    let start = next.baseAddress
    next = UnsafeMutableRawBufferPointer(rebasing: next.dropFirst(rounded))
    return start
  }

  private func newBlock(_ size: Int) -> UnsafeMutableRawPointer {
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.alignment)
    blocks.append(block)
    return block
  }

  /// Room for values of a C type; only for arenas without a cap.
  func allocate<Value>(_ type: Value.Type, count: Int = 1) -> UnsafeMutablePointer<Value> {
    let size = MemoryLayout<Value>.stride * max(1, count)
    return (allocate(size) ?? newBlock(size)).bindMemory(to: type, capacity: count)
  }

  /// `text` as C has it.
  func string(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let start = allocate(CChar.self, count: bytes.count)
    for (index, byte) in bytes.enumerated() { start[index] = byte }
    return start
  }

  /// A repeated field: how many there are, and where.
  func list<Element, Value>(
    _ elements: [Element], _ encode: (Element) -> UnsafeMutablePointer<Value>
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Value>?>) {
    let list = allocate(UnsafeMutablePointer<Value>?.self, count: elements.count)
    for (index, element) in elements.enumerated() { list[index] = encode(element) }
    return (elements.count, list)
  }

  /// `texts` as C has them.
  func strings(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let start = allocate(UnsafeMutablePointer<CChar>?.self, count: texts.count)
    for (index, text) in texts.enumerated() { start[index] = string(text) }
    return start
  }

  /// What protobuf-c is given; valid as long as the arena.
  var allocator: ProtobufCAllocator {
    ProtobufCAllocator(
      alloc: { data, size in
        guard let data else { return nil }
        let size = Int(exactly: size) ?? .max
        return Unmanaged<Arena>.fromOpaque(data).takeUnretainedValue().allocate(size)
      },
      free: { _, _ in },
      allocator_data: Unmanaged.passUnretained(self).toOpaque())
  }
}
