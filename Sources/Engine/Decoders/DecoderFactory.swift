import FaceCore
import Posix

/// Starts and kills decoders, through the process that forks them. Safe to use from any thread.
final class DecoderFactory: Sendable {
  /// How long a decoder may take to be there: far more than on a busy machine.
  private static let patience: Int64 = 5_000_000_000

  /// The channel to the process that forks; `nil` when it has failed.
  private let control: Monitor<PacketChannel?>
  /// The advice for a picture that no decoder takes: a kind that is decoded without one, if there is such a kind.
  let alternative: StaticString

  /// - Parameters:
  ///   - socket: leads to the process that forks.
  ///   - takesAllKinds: whether JPEG and PNG are decoded by decoders, too.
  init(_ socket: consuming UnixSocket, takesAllKinds: Bool) {
    control = Monitor(PacketChannel(socket))
    alternative = takesAllKinds ? "" : ", or send a JPEG or PNG"
  }

  /// Whether decoders can be started.
  var isRunning: Bool { control.withLock { $0?.isAbandoned == false } }

  /// Starts a decoder of pictures of `kind`. Throws `unavailable` when that is not possible any more.
  func start(_ kind: PictureKind) throws(Status) -> DecoderProcess {
    try control.withLock { (control) throws(Status) in
      let request = ForkRequest(operation: .fork, kind: UInt32(kind.rawValue))
      guard let channel = control, try channel.send(request),
        case .value(let response, let reason) = try channel.receive(
          ForkResponse.self, until: MonotonicTime.now().advanced(byNanoseconds: Self.patience))
      else {
        // A response that comes later would be taken for that to the next request.
        control = nil
        throw gone
      }
      guard response.id > 0, let descriptor = channel.takeDescriptor() else {
        throw Status(
          .resourceExhausted,
          "no process, or no memory for one, to decode the \(kind.name) (\(reason)); try again later")
      }
      return DecoderProcess(id: response.id, PacketChannel(UnixSocket(descriptor)))
    }
  }

  func kill(_ process: DecoderProcess) {
    control.withLock { control in
      _ = try? control?.send(ForkRequest(operation: .kill, id: process.id))
    }
  }

  var gone: Status {
    Status(
      .unavailable,
      "the process that starts decoders has ended, so pictures of this kind cannot be decoded; start the engine anew"
        + "\(alternative)")
  }
}
