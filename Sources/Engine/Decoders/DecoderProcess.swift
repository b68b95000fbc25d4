import FaceCore
import Posix

/// A process that decodes pictures of one kind for one user, and is killed when a call of that user ends
/// early. Used by one thread at a time.
final class DecoderProcess: @unchecked Sendable {
  // Its pool hands it from one thread to another, under a lock.

  enum Outcome {
    case done(DecodeResponse)
    /// The decoder has refused the file; it can be used again.
    case failed(Status)
    /// The process has ended by itself.
    case ended
    /// The call is over, and the process still at work.
    case stopped(Status)
  }

  /// Nanoseconds between two checks of the token.
  private static let step: Int64 = 2_000_000
  /// Nanoseconds of processor time after which it is not used again, far below its limit.
  private static let longestUse: Int64 = 30_000_000_000

  let id: Int32
  private let channel: PacketChannel
  /// Nanoseconds of processor time until now.
  private var used: Int64 = 0

  init(id: Int32, _ channel: PacketChannel) {
    self.id = id
    self.channel = channel
  }

  /// Whether it can be used for another call.
  var isReusable: Bool { used < Self.longestUse && !channel.isAbandoned }

  /// Waits for the response to a request. Processor time of the process is charged to the call.
  func outcome(
    of request: DecodeRequest, in memory: borrowing MemoryFile, _ token: CancellationToken?
  ) -> Outcome {
    guard (try? channel.send(request, passing: memory.descriptor)) == true else { return .ended }
    while true {
      let deadline = token == nil ? .never : MonotonicTime.now().advanced(byNanoseconds: Self.step)
      let received = try? channel.receive(DecodeResponse.self, until: deadline)
      charge(token)
      switch received {
      case .value(let response, _) where response.code == StatusCode.ok.rawValue: return .done(response)
      case .value(let response, let message):
        return .failed(Status(StatusCode(rawValue: response.code) ?? .unknown, message))
      case .ended, nil: return .ended
      case .nothing:
        do throws(Status) {
          try token?.check()
        } catch {
          return .stopped(error)
        }
      }
    }
  }

  private func charge(_ token: CancellationToken?) {
    guard let now = ChildProcess.processorTime(of: id), now > used else { return }
    token?.charge(now - used)
    used = now
  }
}
