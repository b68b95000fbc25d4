import FaceCore
import Posix
import Wire

/// Sends images over one connection: large ones in shared memory if the engine takes it, others in the
/// message.
struct ImageTransport: Sendable {
  /// The size in bytes from which on a buffer is faster than the socket.
  private static let sharedFrom = 32 << 10
  /// The alignment of images in a buffer, in bytes.
  private static let alignment = 64

  private let socket: FramedSocket
  /// The buffers; `nil` if the engine takes none.
  let pool: BufferPool?

  /// - Parameters:
  ///   - hello: the engine's answer to Hello.
  ///   - shares: see `BufferPool`.
  init(_ socket: FramedSocket, _ hello: HelloResponse?, _ shares: MemoryShares? = nil) {
    self.socket = socket
    pool = hello?.features.contains(.buffers) == true ? hello.map { BufferPool($0.limits, shares) } : nil
  }

  /// Images at the places where the engine finds them, and the buffers that they are in.
  struct Placement {
    fileprivate(set) var images: [MessageImage] = []
    fileprivate var buffers: [RegisteredBuffer] = []
    /// Whether some images are read directly from the caller's memory.
    var readsCallersMemory: Bool { buffers.contains(where: \.isCallers) }

    /// The memory of buffer `number`, valid until it is released; `nil` if no buffer here has that number.
    func bytes(of number: UInt32) -> UnsafeRawBufferPointer? {
      buffers.first { $0.number == number }.map { UnsafeRawBufferPointer($0.memory.file.bytes) }
    }
  }

  /// Places the images in shared memory, copying those that do not lie there already. Returns `nil` if they
  /// are too small to be worth it, or if there is no memory for them.
  /// - Parameter waiting: limits the wait while all buffers are in use; `nil` not to wait.
  func place(
    _ images: [ImageInput], waiting: CancellationToken?, _ token: CancellationToken
  ) throws(ExchangeFailure) -> Placement? {
    // An empty file is sent in the message; the engine reports the error.
    guard let pool, images.allSatisfy({ $0.packedByteCount > 0 }) else { return nil }
    var placement = Placement()
    do throws(ExchangeFailure) {
      let isPlaced = try place(images, pool, waiting: waiting, token, in: &placement)
      if !isPlaced { release(placement) }
      return isPlaced ? placement : nil
    } catch {
      discard(placement)
      throw error
    }
  }

  private func place(
    _ images: [ImageInput], _ pool: BufferPool, waiting: CancellationToken?, _ token: CancellationToken,
    in placement: inout Placement
  ) throws(ExchangeFailure) -> Bool {
    var named: [MessageImage?] = []
    var size = 0
    for image in images {
      // Used in place if it lies in memory that the engine takes.
      if let (memory, name) = image.lyingInMemory, let buffer = try ready(pool.acquire(memory), pool, token) {
        placement.buffers.append(buffer)
        named.append(name(buffer.number))
      } else {
        named.append(nil)
        size += Self.aligned(image.packedByteCount)
      }
    }
    var target: RegisteredBuffer?
    if size > 0 {
      // A message may contain pixels as well as references to memory; small images are not worth a buffer.
      guard size >= Self.sharedFrom || placement.readsCallersMemory else { return false }
      guard let buffer = try ready(try pool.acquire(size, waiting: waiting), pool, token) else {
        return false
      }
      placement.buffers.append(buffer)
      target = buffer
    }
    var offset = 0
    for (image, name) in zip(images, named) {
      if let name {
        placement.images.append(name)
      } else if let target {
        placement.images.append(image.copied(into: target, at: offset))
        offset += Self.aligned(image.packedByteCount)
      }
    }
    return true
  }

  /// Returns the buffer after sending its registration, if it needs one.
  private func ready(
    _ acquisition: BufferPool.Acquisition, _ pool: BufferPool, _ token: CancellationToken
  ) throws(ExchangeFailure) -> RegisteredBuffer? {
    let buffer: RegisteredBuffer
    let retired: [UInt32]
    var isNew = false
    switch acquisition {
    case .none: return nil
    case .use(let known, let numbers): (buffer, retired) = (known, numbers)
    case .register(let fresh, let numbers): (buffer, retired, isNew) = (fresh, numbers, true)
    }
    do throws(ExchangeFailure) {
      for number in retired {
        try socket.sendControl(ControlFromClient.unregister(buffer: number).frame, token)
      }
      guard isNew else { return buffer }
      let size = UInt64(buffer.memory.file.bytes.count)
      let frame = ControlFromClient.register(buffer: buffer.number, size: size).frame
      try socket.sendControl(frame, with: buffer.memory, token)
    } catch {
      pool.discard(buffer)
      throw error
    }
    pool.didRegister(buffer)
    return buffer
  }

  static func aligned(_ size: Int) -> Int { (size + alignment - 1) / alignment * alignment }

  /// Releases the buffers after the engine's answer.
  /// - Returns: why the engine refused some of the memory; then it has not seen the images.
  func complete(_ placement: Placement) -> Status? {
    var refusal: Status?
    for buffer in placement.buffers {
      // The engine answers a registration before the call that uses the buffer.
      if let status = pool?.refusal(of: buffer) {
        refusal = status
      } else {
        pool?.release(buffer)
      }
    }
    unregisterIdle()
    return refusal
  }

  /// Releases the buffers of images that were not sent, so that the engine does not read them.
  func release(_ placement: Placement) {
    for buffer in placement.buffers { pool?.release(buffer) }
    unregisterIdle()
  }

  /// Discards the buffers of images without an answer, since the engine may still read them.
  func discard(_ placement: Placement) {
    for buffer in placement.buffers { pool?.discard(buffer) }
    unregisterIdle()
  }

  /// Unregisters the buffers that were idle for too long.
  /// - Parameter all: whether buffers that became idle a moment ago are included.
  func unregisterIdle(all: Bool = false) {
    for number in pool?.takeIdle(all: all) ?? [] {
      socket.sendQueued(ControlFromClient.unregister(buffer: number).frame)
    }
  }

  /// The failure of an image of `size` bytes for which there is no memory and which does not fit in a message
  /// either.
  /// - Parameter isFile: whether it is compressed already.
  func noRoom(for size: Int, isFile: Bool) -> Status {
    let compressing = isFile ? "" : "send it as JPEG or PNG, "
    guard let pool else {
      return Status(
        .resourceExhausted,
        "the image has \(size) bytes, more than fits in a message, and the engine accepts no shared memory; "
          + compressing + (isFile ? "scale it down" : "or scale it down"))
    }
    if let limit = MemoryFile.mostBytes, size <= pool.maxBytes, !pool.canHold(size) {
      return Status(
        .resourceExhausted,
        "an image of \(size) bytes needs shared memory, to which the limit of file sizes, \(limit) bytes, applies; "
          + compressing + "scale it down, or raise the limit (ulimit -f, or LimitFSIZE= of a service)")
    }
    let reason =
      pool.canHold(size)
      ? "needs shared memory, but this user's share is in use"
      : "is more than this user may share"
    return Status(
      .resourceExhausted,
      "an image of \(size) bytes \(reason) (mapped_bytes_per_user is \(pool.maxBytes)); "
        + compressing + "scale it down, or start the engine with a larger --limit mapped-bytes-per-user")
  }
}
