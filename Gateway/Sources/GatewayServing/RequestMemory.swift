import FaceCore
package import GatewayCoding
package import NIOCore

/// Bounds the bytes of requests that the gateway holds for all its clients, of both servers: those that arrive, and
/// those that the engine has not answered yet. Used on the event loop.
///
/// A large request whose size is known reserves room for all of it before it is read on. Without room its client
/// waits, and requests get room in the order of their arrival. Requests that have begun can thus always end.
package final class RequestMemory {
  /// The bytes of a request that are taken without a reservation: a client may have sent them before it can be
  /// stopped.
  package static let unreserved = 512 << 10

  package let loop: any EventLoop
  private let most: Int
  private let patience: TimeAmount
  package private(set) var used = 0
  private let trimmer: HeapTrimmer
  private var waiting: [RequestShare] = []

  /// - Parameters:
  ///   - most: the most bytes.
  ///   - patience: how long a request may wait for room.
  package init(loop: any EventLoop, most: Int, patience: TimeAmount) {
    self.loop = loop
    trimmer = HeapTrimmer(loop)
    self.most = most
    self.patience = patience
  }

  package var free: Int { max(0, most - used) }

  /// The failure of a call that waited too long for memory; `HTTPAnswer` sends 503 with Retry-After.
  package var failure: CallFailure {
    CallFailure(
      .resourceExhausted,
      "requests without an answer take \(most >> 20) MiB, which is the limit; try again later",
      .limit("gateway_request_bytes"))
  }

  /// The most bytes with large requests. The others are left to small ones, which do not wait.
  private var mostReserved: Int { Self.mostReserved(of: most) }

  static func mostReserved(of most: Int) -> Int { most / 4 * 3 }

  fileprivate func hold(_ byteCount: Int) {
    assert(byteCount >= 0)
    used += byteCount
    trimmer.update(used)
  }

  fileprivate func release(_ byteCount: Int) {
    assert((0...used).contains(byteCount), "more bytes are released than were held")
    used -= byteCount
    if !waiting.isEmpty { grant() }
    trimmer.update(used)
  }

  fileprivate func wait(_ share: RequestShare) {
    if waiting.isEmpty, fits(share) { return share.granted() }
    waiting.append(share)
    share.timer = loop.assumeIsolated().scheduleTask(in: patience) { [weak self, weak share] in
      guard let self, let share else { return }
      leave(share)
      share.answer(failure)
    }
  }

  fileprivate func leave(_ share: RequestShare) {
    guard let index = waiting.firstIndex(where: { $0 === share }) else { return }
    waiting.remove(at: index)
    grant()
  }

  private func grant() {
    while let first = waiting.first, fits(first) {
      assert(first.isWaiting, "a request without a completion waits")
      waiting.removeFirst()
      first.granted()
    }
  }

  /// Whether there is room for a reservation. The only request always has room.
  private func fits(_ share: RequestShare) -> Bool {
    used + share.wanted <= mostReserved || used == share.held
  }
}

/// What one request holds of the memory. Used on the event loop; `end` is called once.
package final class RequestShare {
  package let memory: RequestMemory
  /// The bytes counted for it.
  fileprivate private(set) var held = 0
  /// Those of them that have not arrived yet.
  private var reserved = 0
  /// The bytes that it waits for.
  fileprivate private(set) var wanted = 0
  fileprivate var timer: Scheduled<Void>?
  private var completion: ((CallFailure?) -> Void)?

  package init(_ memory: RequestMemory) {
    self.memory = memory
  }

  /// Whether it waits for room. Its client is not to send more.
  package var isWaiting: Bool { completion != nil }

  /// Counts bytes that have arrived. Throws if there is no room for them.
  package func add(_ byteCount: Int) throws(CallFailure) {
    let covered = min(byteCount, reserved)
    reserved -= covered
    if isWaiting { wanted = max(0, wanted - byteCount) }
    hold(byteCount - covered)
    if byteCount > covered, memory.free == 0 { throw memory.failure }
  }

  private func hold(_ byteCount: Int) {
    held += byteCount
    memory.hold(byteCount)
  }

  /// Reserves room for bytes that are still to arrive.
  ///
  /// - Parameter completion: called when there is room, or with the failure if there was none for too long. It may be
  ///   called at once.
  package func reserve(_ byteCount: Int, _ completion: @escaping (CallFailure?) -> Void) {
    assert(!isWaiting, "a request waits once at a time")
    wanted = byteCount
    self.completion = completion
    memory.wait(self)
  }

  fileprivate func granted() {
    hold(wanted)
    reserved += wanted
    answer(nil)
  }

  fileprivate func answer(_ failure: CallFailure?) {
    timer?.cancel()
    wanted = 0
    completion.take()?(failure)
  }

  /// Releases bytes that are no longer held.
  package func release(_ byteCount: Int) {
    let count = min(byteCount, held)
    held -= count
    memory.release(count)
  }

  /// Inflates bytes that are held, within the memory that is free.
  ///
  /// - Parameter limit: the most bytes of the result.
  package func inflated(_ bytes: ByteBuffer, limit: Int) throws(CallFailure) -> ByteBuffer {
    let room = bytes.readableBytes + memory.free
    let result: ByteBuffer
    do throws(CallFailure) {
      result = try Gunzip.inflate(bytes, limit: min(limit, room))
    } catch {
      throw room < limit && error.status.detail == .limit("max_body") ? memory.failure : error
    }
    let growth = result.readableBytes - bytes.readableBytes
    if growth < 0 { release(-growth) } else { try add(growth) }
    return result
  }

  /// Hands over bytes to a holder that may outlive the request.
  package func split(_ byteCount: Int) -> RequestHold {
    let count = min(byteCount, held)
    held -= count
    return RequestHold(count, NIOLoopBound(memory, eventLoop: memory.loop))
  }

  /// Hands over all that it holds.
  package func splitAll() -> RequestHold { split(held) }

  /// Ends the wait for bytes that have arrived by themselves.
  package func stopWaiting() {
    guard isWaiting else { return }
    timer?.cancel()
    completion = nil
    memory.leave(self)
  }

  /// Releases everything. It does not wait any more.
  package func end() {
    stopWaiting()
    release(held)
    reserved = 0
    assert(held == 0)
  }
}

/// Bytes of the memory, returned with the last reference. Safe to use from any thread.
package final class RequestHold: Sendable {
  private let byteCount: Int
  private let memory: NIOLoopBound<RequestMemory>

  fileprivate init(_ byteCount: Int, _ memory: NIOLoopBound<RequestMemory>) {
    self.byteCount = byteCount
    self.memory = memory
  }

  deinit {
    let (byteCount, memory) = (byteCount, memory)
    memory.eventLoop.execute { memory.value.release(byteCount) }
  }
}
