import FaceCore
import GatewayCoding
import GatewayServing
import NIOCore
import NIOPosix
import Posix
import Wire

/// Shares the images of messages that are too large for a frame with the engine. Used on the link's event loop.
///
/// The messages of all connections wait, in the order of their arrival, for what the engine lets a user share.
final class ImageSharing {
  /// A message that waits to be shared.
  final class Ticket {
    fileprivate var message: EngineMessage
    fileprivate let method: String
    fileprivate var timer: Scheduled<Void>?
    fileprivate var completion: ((Result<SharedImages?, CallFailure>) -> Void)?
    fileprivate weak var sharing: ImageSharing?

    fileprivate init(
      _ message: EngineMessage, _ method: String,
      _ completion: @escaping (Result<SharedImages?, CallFailure>) -> Void
    ) {
      self.message = message
      self.method = method
      self.completion = completion
    }

    fileprivate func complete(_ result: Result<SharedImages?, CallFailure>) {
      timer?.cancel()
      completion.take()?(result)
    }

    /// Frees the message; its completion is not called any more.
    func cancel() {
      timer?.cancel()
      completion = nil
      sharing?.remove(self)
    }
  }

  /// The engine's limits, as the last connection was told them.
  var limits = EngineLimits()

  let loop: any EventLoop
  private var waiting: [Ticket] = []
  /// The messages whose images are shared, and their bytes.
  private var sharedCount = 0
  private var sharedBytes = 0

  init(loop: any EventLoop) {
    self.loop = loop
    // Without the thread for it, this one would unmap the memory, which takes milliseconds.
    try? SharedMemory.startReleaser()
  }

  /// Whether a message is in memory to be shared, or may be too large for a frame together with its envelope.
  func isNeeded(for message: EngineMessage, of method: @autoclosure () -> String) -> Bool {
    if message.upload != nil { return true }
    let limit = limits.maxMessageBytes
    return message.byteCount > limit - min(limit / 2, Self.maxEnvelope) && NamedImages.areIn(method())
  }

  /// More bytes than the headers of a call take.
  private static let maxEnvelope = 32 << 10

  /// Shares the images of a message as soon as there is room for it.
  ///
  /// - Parameters:
  ///   - timeout: how long it may wait in nanoseconds; 0 for any time.
  ///   - completion: called with the images; `nil` to send the message unchanged.
  func share(
    _ message: EngineMessage, of method: String, timeout: Int64,
    _ completion: @escaping (Result<SharedImages?, CallFailure>) -> Void
  ) -> Ticket {
    let ticket = Ticket(message, method, completion)
    let count = message.byteCount
    guard count <= limits.mappedBytesPerUser else {
      ticket.complete(.failure(tooLarge(count)))
      return ticket
    }
    ticket.sharing = self
    waiting.append(ticket)
    if timeout > 0 {
      ticket.timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(timeout)) { [weak self] in
        self?.remove(ticket)
        ticket.complete(.failure(EnginePool.late))
      }
    }
    beginWaiting()
    return ticket
  }

  private func tooLarge(_ count: Int) -> CallFailure {
    CallFailure(
      .resourceExhausted,
      "the message has \(count) bytes, more than the \(limits.mappedBytesPerUser) that the gateway may share with the engine "
        + "(mapped_bytes_per_user); scale the image down, or start the engine with a larger "
        + "--limit mapped-bytes-per-user", .limit("mapped_bytes_per_user"))
  }

  private func remove(_ ticket: Ticket) {
    guard let index = waiting.firstIndex(where: { $0 === ticket }) else { return }
    waiting.remove(at: index)
    beginWaiting()
  }

  // MARK: Room

  /// Whether the engine has room for so many bytes more. Half of what it allows is left to other programs of
  /// this user, and to images that it is about to free.
  private func hasRoom(for byteCount: Int) -> Bool {
    sharedCount == 0
      || sharedCount < limits.buffersPerConnection / 2
        && sharedBytes + byteCount <= limits.mappedBytesPerUser / 2
  }

  private func beginWaiting() {
    while let next = waiting.first, hasRoom(for: next.message.byteCount) {
      waiting.removeFirst()
      begin(next)
    }
  }

  private func begin(_ ticket: Ticket) {
    let (message, method, limit) = (ticket.message, ticket.method, limits.maxMessageBytes)
    ticket.message = EngineMessage()
    sharedCount += 1
    sharedBytes += message.byteCount
    let room = ImageRoom(message.byteCount, of: NIOLoopBound(self, eventLoop: loop))
    if let upload = message.upload, !message.isUnnamed {
      return ticket.complete(.success(SharedImages(upload, namedBy: message.body, room)))
    }
    // On another thread, since this one serves other calls, too.
    NIOThreadPool.singleton.runIfActive(eventLoop: loop) { () throws -> SharedImages? in
      let upload = try message.upload ?? SharedUpload(message)
      guard let named = try NamedImages.message(in: upload, of: method, limit: limit) else {
        if message.upload == nil { return nil }
        throw FrameHeader.tooLong(upload.count, limit: limit)
      }
      return SharedImages(upload, namedBy: named, room)
    }.assumeIsolated().whenComplete { result in
      ticket.complete(
        result.mapError { error in
          (error as? CallFailure) ?? (error as? Status).map { CallFailure($0) }
            ?? CallFailure(.internal, "the images were not shared: \(error)")
        })
    }
  }

  fileprivate func roomFreed(_ byteCount: Int) {
    sharedCount -= 1
    sharedBytes -= byteCount
    beginWaiting()
  }
}

/// What shared images take of the limits, returned with the last reference. Safe to use from any thread.
final class ImageRoom: Sendable {
  private let sharing: NIOLoopBound<ImageSharing>
  private let byteCount: Int

  fileprivate init(_ byteCount: Int, of sharing: NIOLoopBound<ImageSharing>) {
    self.byteCount = byteCount
    self.sharing = sharing
  }

  deinit {
    let (sharing, byteCount) = (sharing, byteCount)
    sharing.eventLoop.execute { sharing.value.roomFreed(byteCount) }
  }
}
