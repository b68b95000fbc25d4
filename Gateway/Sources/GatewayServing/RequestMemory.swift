import FaceCore
package import GatewayCoding
package import NIOCore

/// Bounds the bytes of requests that the gateway holds for all its clients, of both servers: those that arrive, and
/// those that the engine has not answered yet. Used on the event loop.
///
/// Once the first bytes of a large request have arrived, it reserves room for the rest before more is read. So requests
/// with room can always end. Without room the client waits. A holder is a token, or else an address: its requests get
/// room in the order of their arrival, and never more than is left for other holders. While a request waits, senders
/// below `leastRate` lose their room.
///
/// Source: dynamic thresholds, Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
/// Switches", 1998.
package final class RequestMemory {
  /// The bytes of a request that are taken without a reservation: a client may have sent them before it can be
  /// stopped.
  package static let unreserved = 512 << 10
  /// The bytes of a large request that arrive before it may reserve room: announcing a body takes none.
  package static let begun = 64 << 10

  /// Bytes a second below which a request loses its room to those that wait, and how long it may be below.
  fileprivate static let leastRate = 16 << 10
  fileprivate static let slowTime = TimeAmount.seconds(4)

  package let loop: any EventLoop
  private let most: Int
  private let patience: TimeAmount
  package private(set) var used = 0
  private var usedByHolder: [String: Int] = [:]
  private let trimmer: HeapTrimmer
  private var waiting: [RequestShare] = []
  /// The requests with room that has not been filled yet.
  private var arriving: [RequestShare] = []
  private var watch: Scheduled<Void>?

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

  private static let tooSlow = CallFailure(
    .resourceExhausted,
    "the request arrived at less than \(leastRate >> 10) KiB a second while others waited for the memory that it had "
      + "reserved; send its body faster, or send a smaller picture",
    .limit("gateway_request_bytes"))

  /// The most bytes with large requests. The others are left to small ones, which do not wait.
  private var mostReserved: Int { Self.mostReserved(of: most) }

  static func mostReserved(of most: Int) -> Int { most / 4 * 3 }

  fileprivate func hold(_ byteCount: Int, for holder: String) {
    assert(byteCount >= 0)
    used += byteCount
    usedByHolder[holder, default: 0] += byteCount
    trimmer.update(used)
  }

  fileprivate func release(_ byteCount: Int, of holder: String) {
    let left = (usedByHolder[holder] ?? 0) - byteCount
    assert(left >= 0, "more bytes are released than were held")
    used -= byteCount
    usedByHolder[holder] = left > 0 ? left : nil
    if !waiting.isEmpty { grant() }
    trimmer.update(used)
  }

  fileprivate func wait(_ share: RequestShare) {
    if !waiting.contains(where: { $0.holder == share.holder }), fits(share) { return begin(share) }
    waiting.append(share)
    share.timer = loop.assumeIsolated().scheduleTask(in: patience) { [weak self, weak share] in
      // Another timer that ended with this one may have given it room: then cancelling it was too late.
      guard let self, let share, share.isWaiting else { return }
      leave(share)
      share.answer(failure)
    }
    if watch == nil { watchSenders() }
  }

  fileprivate func leave(_ share: RequestShare) {
    arriving.removeAll { $0 === share }
    guard let index = waiting.firstIndex(where: { $0 === share }) else { return }
    waiting.remove(at: index)
    grant()
  }

  /// Gives room to waiting requests, in their order. A request that does not fit holds up only its own holder.
  private func grant() {
    var passed: Set<String> = []
    var index = 0
    while index < waiting.count {
      let share = waiting[index]
      assert(share.isWaiting, "a request without a completion waits")
      if !passed.contains(share.holder), fits(share) {
        waiting.remove(at: index)
        begin(share)
        // It may have changed what waits.
        index = 0
        passed = []
      } else {
        passed.insert(share.holder)
        index += 1
      }
    }
  }

  private func begin(_ share: RequestShare) {
    arriving.append(share)
    share.granted()
  }

  /// Whether there is room for a reservation. The only request always has room.
  private func fits(_ share: RequestShare) -> Bool {
    let left = mostReserved - used - share.wanted
    return used == share.held || left >= 0 && (usedByHolder[share.holder] ?? 0) <= left
  }

  /// Ends the requests that arrive too slowly, every second while others wait.
  private func watchSenders() {
    watch = loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in self?.endSlow() }
  }

  private func endSlow() {
    watch = nil
    if waiting.isEmpty {
      for share in arriving { share.rate = TransferRate(least: Self.leastRate) }
      return
    }
    watchSenders()
    let now = loop.now
    for share in arriving where share.isTooSlow(at: now) && !waiting.isEmpty {
      leave(share)
      share.lose(Self.tooSlow)
    }
  }
}

/// What one request holds of the memory. Used on the event loop; `end` is called once.
package final class RequestShare {
  package let memory: RequestMemory
  /// Who sends it: the name of a token, or else an address. Set before bytes are counted.
  package var holder: String
  /// The bytes counted for it.
  fileprivate private(set) var held = 0
  /// Those of them that have not arrived yet.
  private var reserved = 0
  /// The bytes that it waits for.
  fileprivate private(set) var wanted = 0
  private var arrivedByteCount = 0
  fileprivate var rate = TransferRate(least: RequestMemory.leastRate)
  fileprivate var timer: Scheduled<Void>?
  private var completion: ((CallFailure?) -> Void)?
  /// Called when it loses its place.
  private var lost: ((CallFailure) -> Void)?
  private var inflater: Inflater?

  package init(_ memory: RequestMemory, holder: String) {
    self.memory = memory
    self.holder = holder
  }

  /// Whether it waits for room. Its client is not to send more.
  package var isWaiting: Bool { completion != nil }

  /// Counts bytes that have arrived. Throws if there is no room for them.
  package func add(_ byteCount: Int) throws(CallFailure) {
    arrivedByteCount += byteCount
    let covered = min(byteCount, reserved)
    reserved -= covered
    if isWaiting { wanted = max(0, wanted - byteCount) }
    hold(byteCount - covered)
    if byteCount > covered, memory.free == 0 { throw memory.failure }
  }

  private func hold(_ byteCount: Int) {
    held += byteCount
    memory.hold(byteCount, for: holder)
  }

  /// Reserves room for bytes that are still to arrive.
  ///
  /// - Parameters:
  ///   - completion: called when there is room, or with the failure if there was none for too long. It may be
  ///     called at once.
  ///   - lost: called if the request loses its room, because it arrives too slowly while others wait.
  package func reserve(
    _ byteCount: Int, _ completion: @escaping (CallFailure?) -> Void, lost: @escaping (CallFailure) -> Void
  ) {
    assert(!isWaiting, "a request waits once at a time")
    wanted = byteCount
    self.completion = completion
    self.lost = lost
    memory.wait(self)
  }

  fileprivate func granted() {
    hold(wanted)
    reserved += wanted
    rate = TransferRate(least: RequestMemory.leastRate)
    answer(nil)
  }

  fileprivate func answer(_ failure: CallFailure?) {
    timer?.cancel()
    wanted = 0
    completion.take()?(failure)
  }

  fileprivate func isTooSlow(at now: NIODeadline) -> Bool {
    !rate.suffices(now, arrivedByteCount, isAwaited: reserved > 0, in: RequestMemory.slowTime)
  }

  fileprivate func lose(_ failure: CallFailure) { lost.take()?(failure) }

  /// Releases bytes that are no longer held.
  package func release(_ byteCount: Int) {
    let count = min(byteCount, held)
    held -= count
    memory.release(count, of: holder)
  }

  /// Hands over bytes to a holder that may outlive the request.
  package func split(_ byteCount: Int) -> RequestHold {
    let count = min(byteCount, held)
    held -= count
    return RequestHold(count, of: holder, NIOLoopBound(memory, eventLoop: memory.loop))
  }

  /// Hands over all that it holds.
  package func splitAll() -> RequestHold { split(held) }

  /// All of the reserved bytes have arrived, or no more of them are awaited.
  package func stopWaiting() {
    lost = nil
    memory.leave(self)
    guard isWaiting else { return }
    timer?.cancel()
    completion = nil
  }

  /// Releases everything. It does not wait any more.
  package func end() {
    stopWaiting()
    inflater = nil
    release(held)
    reserved = 0
    assert(held == 0)
  }
}

extension RequestShare {
  /// Inflates bytes that are held, beside the event loop, within the memory that is free. Each piece is counted before
  /// the next one is made.
  ///
  /// - Parameters:
  ///   - limit: the most bytes of the result.
  ///   - completion: called on the event loop, unless the request has ended.
  package func inflate(
    _ bytes: ByteBuffer, _ coding: ContentCoding, limit: Int,
    _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) {
    let room = bytes.readableBytes + memory.free
    do throws(CallFailure) {
      let inflater = try Inflater(bytes, coding, limit: min(limit, room))
      self.inflater = inflater
      inflateMore(inflater) { [weak self] failure in
        guard let self else { return }
        self.inflater = nil
        guard let failure else {
          release(bytes.readableBytes)
          return completion(.success(inflater.takeOutput()))
        }
        completion(
          .failure(room < limit && failure.status.detail == .limit("max_body") ? memory.failure : failure))
      }
    } catch {
      completion(.failure(error))
    }
  }

  private func inflateMore(_ inflater: Inflater, _ completion: @escaping (CallFailure?) -> Void) {
    let loop = memory.loop
    let bound = NIOLoopBound((share: self, completion: completion), eventLoop: loop)
    Task {
      let result = Result { () throws(CallFailure) in try inflater.inflateMore() }
      loop.execute {
        let (share, completion) = bound.value
        guard share.inflater === inflater else { return }
        do throws(CallFailure) {
          let piece = try result.get()
          try share.add(piece.byteCount)
          if piece.isLast { completion(nil) } else { share.inflateMore(inflater, completion) }
        } catch {
          completion(error)
        }
      }
    }
  }
}

/// Bytes of the memory, returned with the last reference. Safe to use from any thread.
package final class RequestHold: Sendable {
  private let byteCount: Int
  private let holder: String
  private let memory: NIOLoopBound<RequestMemory>

  fileprivate init(_ byteCount: Int, of holder: String, _ memory: NIOLoopBound<RequestMemory>) {
    self.byteCount = byteCount
    self.holder = holder
    self.memory = memory
  }

  deinit {
    let (byteCount, holder, memory) = (byteCount, holder, memory)
    memory.eventLoop.execute { memory.value.release(byteCount, of: holder) }
  }
}
