import FaceCore
import Posix
import Wire

/// How images travel on one connection: large ones in shared memory where the engine takes it, the others in the message.
struct ImageTransport: Sendable {
  /// Bytes from which on a buffer is quicker than the socket.
  private static let sharedFrom = 32 << 10
  /// From image to image in one buffer.
  private static let alignment = 64

  private let link: FramedSocket
  /// `nil` when the engine takes no buffers.
  let pool: BufferPool?

  /// - Parameters:
  ///   - hello: what the engine agreed to.
  ///   - shares: see `BufferPool`.
  init(link: FramedSocket, _ hello: HelloResponse?, _ shares: MemoryShares? = nil) {
    self.link = link
    pool = hello?.features.contains(.buffers) == true ? hello.map { BufferPool($0.limits, shares) } : nil
  }

  /// Images where the engine finds them, and what was taken for that.
  struct Placement {
    fileprivate(set) var images: [MessageImage] = []
    fileprivate var buffers: [OfferedBuffer] = []
    /// Whether some images are only named: they are read where their caller has them.
    var readsCallersMemory: Bool { buffers.contains(where: \.isCallers) }

    /// The memory that has this number, until it is given back; `nil` where none of these has it.
    func bytes(of number: UInt32) -> UnsafeRawBufferPointer? {
      buffers.first { $0.number == number }.map { UnsafeRawBufferPointer($0.memory.file.bytes) }
    }
  }

  /// Puts the images into shared memory, or finds that they lie there; `nil` when they are too small to be worth it, or
  /// when there is no memory to be had.
  /// - Parameter waiting: how long to wait for a buffer while all are in use; `nil` not to.
  func place(
    _ images: [ImageInput], waiting: CancellationToken?, _ token: CancellationToken
  ) throws(ExchangeFailure) -> Placement? {
    // An empty file has no place; the engine says what is wrong with it.
    guard let pool, images.allSatisfy({ $0.packedByteCount > 0 }) else { return nil }
    var placement = Placement()
    do throws(ExchangeFailure) {
      let isPlaced = try place(images, pool, waiting: waiting, token, in: &placement)
      if !isPlaced { giveBack(placement) }
      return isPlaced ? placement : nil
    } catch {
      forget(placement)
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
      let found = try name(image, pool, token, in: &placement)
      named.append(found)
      if found == nil { size += Self.aligned(image.packedByteCount) }
    }
    var target: OfferedBuffer?
    if size > 0 {
      // A message may have both, images and names; the small ones are not worth a buffer.
      guard size >= Self.sharedFrom || placement.readsCallersMemory else { return false }
      guard let buffer = try offered(try pool.take(size, waiting: waiting), token) else { return false }
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

  /// The image where its caller has it, if that is memory which the engine takes.
  private func name(
    _ image: ImageInput, _ pool: BufferPool, _ token: CancellationToken, in placement: inout Placement
  ) throws(ExchangeFailure) -> MessageImage? {
    guard let (memory, name) = image.lyingInMemory, let buffer = try offered(pool.take(memory), token)
    else { return nil }
    placement.buffers.append(buffer)
    return name(buffer.number)
  }

  private func offered(
    _ turn: BufferPool.Turn, _ token: CancellationToken
  ) throws(ExchangeFailure) -> OfferedBuffer? {
    switch turn {
    case .none: return nil
    case .use(let buffer, let retired):
      try send(retired, andOffer: nil, givingUp: buffer, token)
      return buffer
    case .offer(let buffer, let retired):
      try send(retired, andOffer: buffer, givingUp: buffer, token)
      pool?.wasOffered(buffer)
      return buffer
    }
  }

  /// - Parameter buffer: what is not used when that fails.
  private func send(
    _ retired: [UInt32], andOffer offer: OfferedBuffer?, givingUp buffer: OfferedBuffer,
    _ token: CancellationToken
  ) throws(ExchangeFailure) {
    do throws(ExchangeFailure) {
      for number in retired {
        try link.sendControl(ControlFromClient.unregister(buffer: number).frame, token)
      }
      guard let offer else { return }
      let size = UInt64(offer.memory.file.bytes.count)
      let frame = ControlFromClient.offer(buffer: offer.number, size: size).frame
      try link.sendControl(frame, with: offer.memory, token)
    } catch {
      pool?.forget(buffer)
      throw error
    }
  }

  static func aligned(_ size: Int) -> Int { (size + alignment - 1) / alignment * alignment }

  /// The engine has answered.
  /// - Returns: why it did not take some of the memory; then it has not seen the images.
  func settle(_ placement: Placement) -> Status? {
    var refusal: Status?
    for buffer in placement.buffers {
      // The engine answers an offer before the call that names it.
      if let status = pool?.refusal(of: buffer) {
        refusal = status
      } else {
        pool?.giveBack(buffer)
      }
    }
    returnIdle()
    return refusal
  }

  /// The engine does not read the images, since they were not sent.
  func giveBack(_ placement: Placement) {
    for buffer in placement.buffers { pool?.giveBack(buffer) }
    returnIdle()
  }

  /// Unanswered, so the engine may read them yet.
  func forget(_ placement: Placement) {
    for buffer in placement.buffers { pool?.forget(buffer) }
    returnIdle()
  }

  /// Tells the engine what it may let go of.
  /// - Parameter all: of what is not in use; else only of what was not for a while.
  func returnIdle(all: Bool = false) {
    for number in pool?.returnIdle(all: all) ?? [] {
      link.sendUnattended(ControlFromClient.unregister(buffer: number).frame)
    }
  }

  /// There is no memory for an image of so many bytes, which does not fit in a message either.
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
        + "scale it down, or start the engine with a larger --mapped-bytes-per-user")
  }
}
