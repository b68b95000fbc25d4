public import FaceCore
import Imaging
import Posix

/// The process that forks decoders, and a copy of itself in place of one that is lost. It reads no picture itself, has
/// one thread and little memory, and ends with the process that started it.
public enum DecoderForker {
  /// The limits of a decoder. The largest picture takes 256 MB for its pixels, and libraries need several
  /// times that, with stacks of their threads; beyond what is mapped at the start, which an emulator makes much.
  private static func limits() -> ChildProcess.Limits {
    ChildProcess.Limits(
      processorTime: 120, memory: CurrentProcess.mappedBytes + memory, descriptors: 16)
  }

  /// The bytes that a decoder may map, beyond what is mapped at the start.
  static let memory = 3 << 30

  /// How long a child that ended by itself may wait to be collected.
  private static let collectTime: TimeSpan = .seconds(1)

  /// Serves the process that started this one, until that ends. Throws `failedPrecondition` if there is none.
  /// - Parameters:
  ///   - isRestricted: whether this process and the decoders enter their sandboxes.
  ///   - isDetached: whether a copy of this process continues, so that it is no child of the process that started it.
  public static func run(isRestricted: Bool, isDetached: Bool) throws(Status) -> Never {
    let socket = try ChildProcess.inheritedSocket()
    if isDetached {
      // The process that waits for the end of this one learns that it may succeed later.
      do throws(Status) {
        if try ChildProcess.copy() != nil { CurrentProcess.exitAtOnce(0) }
      } catch {
        CurrentProcess.exitAtOnce(ChildProcess.temporaryFailure)
      }
    }
    try serve(socket, isRestricted: isRestricted)
  }

  /// Does the same with a socket to the process that started this one.
  static func serve(_ socket: consuming UnixSocket, isRestricted: Bool) throws(Status) -> Never {
    var control = PacketChannel(socket)
    let limits = limits()
    ChildProcess.ignoreEndOfGroup()
    if isRestricted {
      // Decoders restrict their calls themselves.
      var sandbox = Sandbox(needs: .libraries)
      sandbox.filtersLater = true
      // A decoder says in its own folder there that it ends before this process when memory is out.
      sandbox.allow(.write, "/proc")
      _ = sandbox.enter()
    }
    CurrentProcess.releaseMemory()
    var children: Set<Int32> = []
    var ends = RecentEnds()
    while true {
      let deadline = children.isEmpty ? .never : MonotonicTime.now() + collectTime
      let received = try control.receive(ForkRequest.self, until: deadline)
      // A child that was not collected keeps its number, so that no other process is killed in its place.
      while let (id, end) = ChildProcess.collect() {
        children.remove(id)
        ends.add(id, end)
      }
      switch received {
      case .nothing: continue
      case .ended:
        children.forEach(ChildProcess.kill)
        CurrentProcess.exitAtOnce(0)
      case .value(let request, _):
        switch request.operation {
        case .fork:
          if let id = try fork(request.kind, control, limits, isRestricted) { children.insert(id) }
        case .kill: if children.contains(request.id) { ChildProcess.kill(request.id) }
        case .copy: if let own = try copy(control) { (control, children, ends) = (own, [], RecentEnds()) }
        case .answer: _ = try control.send(ForkResponse(to: .answer))
        case .end:
          let isLeft = children.remove(request.id) != nil
          let end = isLeft ? ChildProcess.collect(request.id) : ends.last(of: request.id)
          _ = try control.send(ForkResponse(to: .end, id: request.id, end: end))
        case nil: break
        }
      }
    }
  }

  /// How the last decoders ended that were collected before their calls asked for that.
  private struct RecentEnds {
    private static let most = 64
    private var ends: [(id: Int32, end: ProcessEnd)] = []

    mutating func add(_ id: Int32, _ end: ProcessEnd) {
      ends.append((id, end))
      ends.removeFirst(max(0, ends.count - Self.most))
    }

    func last(of id: Int32) -> ProcessEnd? { ends.last { $0.id == id }?.end }
  }

  /// - Returns: the number of the decoder; `nil` if there is none.
  private static func fork(
    _ kind: UInt32, _ control: PacketChannel, _ limits: ChildProcess.Limits, _ isRestricted: Bool
  ) throws(Status) -> Int32? {
    PictureKind(rawValue: UInt8(truncatingIfNeeded: kind)).map(ImageDecoder.load)
    do throws(Status) {
      let pair = try UnixSocket.packetPair()
      guard let id = try ChildProcess.fork() else {
        let channel = PacketChannel(ChildProcess.keepingOnly(pair.second))
        guard (try? ChildProcess.limit(limits)) != nil else { CurrentProcess.exitAtOnce(1) }
        if isRestricted { Sandbox.enterDecoder() }
        DecoderLoop.run(channel)
      }
      _ = try control.send(ForkResponse(to: .fork, kind: kind, id: id), passing: pair.first.descriptor)
      return id
    } catch {
      _ = try control.send(ForkResponse(to: .fork, kind: kind), text: error.message)
      return nil
    }
  }

  /// - Returns: in the copy, its channel; `nil` in this process.
  private static func copy(_ control: PacketChannel) throws(Status) -> PacketChannel? {
    func fail(_ error: Status) { _ = try? control.send(ForkResponse(to: .copy), text: error.message) }
    do throws(Status) {
      let pair = try UnixSocket.packetPair()
      // The other end is sent before the copy can be seen, so that this process may be lost from then on.
      let isCopy = try ChildProcess.copyAsOrphan { error in
        if let error { return fail(error) }
        _ = try? control.send(ForkResponse(to: .copy), passing: pair.first.descriptor)
      }
      // The copy closes the other end, whose closing ends it later.
      return isCopy ? PacketChannel(pair.takeSecond()) : nil
    } catch {
      fail(error)
      return nil
    }
  }
}
