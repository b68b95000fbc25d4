import NIOCore
import Posix
import Wire

/// Writes frames to the engine's socket in their order. NIO cannot send the descriptor of an offer: it is sent to the
/// socket directly, and what comes meanwhile is held back. Used on the link's event loop.
final class EngineWriter {
  private enum Output {
    case bytes(ByteBuffer, EventLoopPromise<Void>?)
    /// The offer of memory, with its descriptor.
    case offer(SharedImages)
  }

  enum Unanswered {
    /// The memory with the images of a call or a stream.
    case offer(for: UInt32)
    case withdrawal
  }

  private static let maxPause = TimeAmount.milliseconds(32)

  private let channel: any Channel
  /// The output behind a descriptor that is being sent; `nil` if none is.
  private var held: [Output]?
  /// What the engine has yet to answer, in its order.
  private var unanswered: [Unanswered] = []

  init(_ channel: any Channel) {
    self.channel = channel
  }

  /// - Parameter promise: succeeds when the socket has taken both; fails when the connection ends.
  func write(
    _ frame: ByteBuffer, _ payload: ByteBuffer = ByteBuffer(), promise: EventLoopPromise<Void>? = nil
  ) {
    if held != nil {
      let isWhole = payload.readableBytes == 0
      held?.append(.bytes(frame, isWhole ? promise : nil))
      if !isWhole { held?.append(.bytes(payload, promise)) }
      return
    }
    if payload.readableBytes == 0 { return channel.writeAndFlush(frame, promise: promise) }
    channel.write(frame, promise: nil)
    channel.writeAndFlush(payload, promise: promise)
  }

  /// Writes a call or a message of a stream between the offer of its images and their withdrawal.
  func write(_ images: SharedImages, for number: UInt32, _ write: () -> Void) {
    unanswered += [.offer(for: number), .withdrawal]
    offer(images)
    write()
    self.write(ByteBuffer(bytes: images.upload.withdrawal))
  }

  /// What the engine has answered now; `nil` if nothing was left to answer.
  func answered() -> Unanswered? { unanswered.isEmpty ? nil : unanswered.removeFirst() }

  /// Writes an offer of memory behind all that NIO has yet to write.
  private func offer(_ images: SharedImages) {
    guard held == nil else {
      held?.append(.offer(images))
      return
    }
    guard channel.isActive else { return }
    held = []
    let promise = channel.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { [self] in sendDescriptor(images) }
    channel.writeAndFlush(ByteBuffer(), promise: promise)
  }

  /// - Parameter pause: how long to wait before the next attempt, if the socket is full.
  private func sendDescriptor(_ images: SharedImages, pause: TimeAmount = .milliseconds(1)) {
    guard channel.isActive else { return }
    let offer = images.upload.offer
    do {
      let sent = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
        (socket: NIOBSDSocket.Handle) in try images.upload.send(offer, to: socket)
      }
      switch sent {
      case .bytes(let count): writeHeld(after: offer[count...])
      case .notNow:
        // The socket is full, and NIO, which has nothing to write, does not say when it is not.
        channel.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
          sendDescriptor(images, pause: min(pause * 2, Self.maxPause))
        }
      case .ended, nil: close()
      }
    } catch {
      close()
    }
  }

  private func writeHeld(after rest: ArraySlice<UInt8>) {
    let outputs = held ?? []
    held = nil
    if !rest.isEmpty { write(ByteBuffer(bytes: rest)) }
    // Behind a further descriptor they are held again.
    for output in outputs {
      switch output {
      case .bytes(let bytes, let promise): write(bytes, promise: promise)
      case .offer(let images): offer(images)
      }
    }
  }

  /// Fails the output that is held.
  func closed() {
    unanswered = []
    for case .bytes(_, let promise) in held.take() ?? [] { promise?.fail(ChannelError.ioOnClosedChannel) }
  }

  func close() { channel.close(promise: nil) }
}
