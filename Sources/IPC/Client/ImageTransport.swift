import FaceCore
import Posix
import Wire

/// Sends images over one connection: large ones in shared memory where the engine takes it, the others in the message.
struct ImageTransport: Sendable {
  /// Bytes from which on a buffer is quicker than the socket.
  private static let sharedFrom = 32 << 10
  /// From image to image in one buffer.
  private static let alignment = 64

  private let socket: FramedSocket
  /// `nil` when the engine takes no buffers.
  let pool: BufferPool?

  /// - Parameters:
  ///   - hello: what the engine agreed to.
  ///   - shares: see `BufferPool`.
  init(_ socket: FramedSocket, _ hello: HelloResponse?, _ shares: MemoryShares? = nil) {
    self.socket = socket
    pool = hello?.features.contains(.buffers) == true ? hello.map { BufferPool($0.limits, shares) } : nil
  }

  /// Images where the engine finds them, and the buffers that they are in.
  struct Placement {
    fileprivate(set) var images: [MessageImage] = []
    fileprivate var buffers: [RegisteredBuffer] = []
    /// Whether some images are read where their caller has them.
    var readsCallersMemory: Bool { buffers.contains(where: \.isCallers) }

    /// The memory of buffer `number`, until it is released; `nil` where none of these has that number.
    func bytes(of number: UInt32) -> UnsafeRawBufferPointer? {
      buffers.first { $0.number == number }.map { UnsafeRawBufferPointer($0.memory.file.bytes) }
    }
  }

  /// Copies the images to shared memory, or finds that they lie there; `nil` when they are too small to be worth it, or when
  /// there is no memory for them.
  /// - Parameter waiting: how long to wait for a buffer while all are in use; `nil` not to wait.
  func place(
    _ images: [ImageInput], waiting: CancellationToken?, _ token: CancellationToken
  ) throws(ExchangeFailure) -> Placement? {
    // An empty file is sent in the message; the engine says what is wrong with it.
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
      // Where its caller has it, if that is memory which the engine takes.
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
      // A message may have both, pixels and names; small images are not worth a buffer.
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

  /// The buffer once the engine knows it, as far as that is for this side to do.
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

  /// The engine has answered.
  /// - Returns: why it refused some of the memory; then it has not seen the images.
  func complete(_ placement: Placement) -> Status? {
    var refusal: Status?
    for buffer in placement.buffers {
      // The engine answers a registration before the call that names the buffer.
      if let status = pool?.refusal(of: buffer) {
        refusal = status
      } else {
        pool?.release(buffer)
      }
    }
    unregisterIdle()
    return refusal
  }

  /// The images were not sent, so the engine does not read them.
  func release(_ placement: Placement) {
    for buffer in placement.buffers { pool?.release(buffer) }
    unregisterIdle()
  }

  /// The images were not answered, so the engine may still read them.
  func discard(_ placement: Placement) {
    for buffer in placement.buffers { pool?.discard(buffer) }
    unregisterIdle()
  }

  /// Unregisters the buffers that were idle for too long.
  /// - Parameter all: also those that became idle a moment ago.
  func unregisterIdle(all: Bool = false) {
    for number in pool?.takeIdle(all: all) ?? [] {
      socket.sendQueued(ControlFromClient.unregister(buffer: number).frame)
    }
  }

  /// The failure of an image of `size` bytes for which there is no memory, and which does not fit in a message either.
  func noRoom(for size: Int) -> Status {
    guard let pool else {
      return Status(
        .resourceExhausted,
        "the image has \(size) bytes, more than one message takes, and the engine takes no shared memory; "
          + "send it as JPEG or PNG, or scale it down")
    }
    let reason =
      pool.canHold(size)
      ? "needs shared memory, of which all that this user may have is in use"
      : "is more than this user may share"
    return Status(
      .resourceExhausted,
      "an image of \(size) bytes \(reason) (mapped_bytes_per_user is \(pool.maxBytes)); send it as JPEG or PNG, "
        + "scale it down, or start the engine with a larger --limit mapped-bytes-per-user")
  }
}
