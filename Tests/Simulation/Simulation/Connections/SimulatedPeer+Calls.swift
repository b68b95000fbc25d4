import FaceCore
import Service
import Wire

/// What a client says.
extension SimulatedPeer {
  func say() {
    let most = kind == .flood ? 24 : 6
    switch kind {
    case .silent: sayCall()
    case .plain: if ledger.calls.count < most { sayCall() }
    case .rude: if random.isLucky(oneIn: 6) { sayNonsense() } else { sayAnything() }
    case .streams: if random.isLucky(oneIn: 8) { sayAnything() } else { sayFrame() }
    case .polite, .flood, .slow: if ledger.calls.count < most { sayAnything() }
    }
  }

  private func sayAnything() {
    switch random.pick(0...19) {
    case 0...7: sayCall()
    case 8: sayQuery()
    case 9...12: sayFrame()
    case 13: watchHealth()
    case 14 where ledger.hasHello: cancelSomething()
    case 15 where ledger.hasHello:
      let value = random.next()
      send(ControlFromClient.ping(value).frame)
      ledger.pings.append((value, producedCount))
    case 16,
      17 where ledger.hasHello:
      offerBuffer()
    case 18: sayBatch()
    default: sayCall()
    }
  }

  private func header() -> CallHeader {
    let timeout =
      random.isLucky(oneIn: 3) ? random.span(from: .microseconds(200), to: .milliseconds(800)) : .zero
    let number = random.isLucky(oneIn: 3) ? ledger.usedNumber() : nil
    return CallHeader(stream: number ?? ledger.nextNumber(), timeout: timeout)
  }

  private func say(
    _ call: CallHeader, _ method: Method, as kind: PeerLedger.Kind = .single, images: Int = 1,
    _ frame: [UInt8]
  ) {
    send(frame)
    ledger.add(
      call.stream, kind, method, end: producedCount, size: frame.count - FrameHeader.size,
      timeout: call.timeout,
      image: method == .detect || method == .detectBatch ? image : PeerLedger.NamedBuffer(),
      imageCount: images)
  }

  private func withImage(_ body: (MessageImage) -> [UInt8]?) -> [UInt8]? {
    image = PeerLedger.NamedBuffer()
    let known = ledger.buffers.sorted().first
    if random.isLucky(oneIn: 3), let buffer = random.isLucky(oneIn: 20) ? UInt32.max : known {
      // A buffer whose withdrawal is on its way is gone when the call comes.
      let isKnown = buffer == known && !ledger.offers.contains { $0.buffer == buffer }
      image = PeerLedger.NamedBuffer(isNamed: true, isUnknown: !isKnown)
      return body(MessageImage(.sharedEncoded(SharedBytes(buffer: buffer, offset: 0, size: 100))))
    }
    let size = random.isLucky(oneIn: 40) ? random.pick(66_000...150_000) : random.pick(1...600)
    return [UInt8](repeating: 7, count: size).withUnsafeBytes { body(MessageImage(.encoded($0))) }
  }

  private func sayCall() {
    let call = header()
    if let frame = withImage({ try? DetectCall.requestFrame(call, $0, DetectionOptions()) }) {
      say(call, .detect, frame)
    }
  }

  private func sayBatch() {
    let call = header()
    let count = random.pick(1...4)
    let frame = withImage { image in
      try? DetectBatchCall.requestFrame(
        call, [MessageImage](repeating: image, count: count), DetectionOptions())
    }
    if let frame { say(call, .detectBatch, images: count, frame) }
  }

  private func sayQuery() {
    let call = header()
    let (method, frame): (Method, [UInt8]?) =
      switch random.pick(0...5) {
      case 0: (.healthCheck, try? HealthCall.requestFrame(call, ""))
      case 1: (.info, try? InfoCall.requestFrame(call))
      case 2: (.stats, try? StatsCall.requestFrame(call))
      case 3: (.listModels, try? ListModelsCall.requestFrame(call))
      case 4: (.hello, try? HelloCall.requestFrame(call, HelloRequest(client: "again", features: [])))
      default: (.reloadModel, try? ReloadModelCall.requestFrame(call, ""))
      }
    if let frame { say(call, method, frame) }
  }

  private func watchHealth() {
    let number = ledger.nextNumber()
    guard let frame = try? HealthCall.watchRequestFrame(stream: number) else { return }
    say(CallHeader(stream: number), .healthWatch, as: .healthWatch, frame)
  }

  private func cancelSomething() {
    guard
      let number = ledger.numbers(where: { !$0.isCancelled && $0.kind != .hello }).randomElement(
        using: &random)
    else { return }
    send(ControlFromClient.cancel(stream: number).frame)
    ledger.cancel(number, end: producedCount)
    ledger.close(number)
  }

  private func offerBuffer() {
    if random.isLucky(oneIn: 3), let buffer = ledger.buffers.sorted().first,
      !ledger.offers.contains(where: { $0.buffer == buffer })
    {
      send(ControlFromClient.unregister(buffer: buffer).frame)
      ledger.offers.append(PeerLedger.Offer(buffer: buffer, isWithdrawal: true))
      return
    }
    lastBuffer += 1
    let isWrong = random.isLucky(oneIn: 5)
    let size = UInt64(SimulatedMemory.size + (isWrong ? 1 : 0))
    send(ControlFromClient.register(buffer: lastBuffer, size: size).frame, passesDescriptor: true)
    ledger.offers.append(PeerLedger.Offer(buffer: lastBuffer, isWrong: isWrong))
  }

  // MARK: Streams

  private func sayFrame() {
    let open = ledger.openStreams
    guard let number = open.randomElement(using: &random), !random.isLucky(oneIn: open.count < 3 ? 8 : 30)
    else {
      return openStream()
    }
    if random.isLucky(oneIn: 25) {
      send(StreamEnd.dataFrame(stream: number))
      return ledger.close(number)
    }
    lastFrame += 1
    var info = FrameInfo(number: lastFrame)
    if ledger.calls[number]?.isTracked == true, random.isLucky(oneIn: 3) {
      info.followed = [
        FollowedFace(id: FollowedFace.firstID + lastFrame, box: Box(x: 1, y: 2, width: 3, height: 4))
      ]
    }
    let timeout = random.isLucky(oneIn: 4) ? UInt64(random.pick(100_000...400_000_000)) : 0
    let frame = withImage { try? WatchCall.requestFrame(stream: number, info, $0, timeout: timeout) }
    guard let frame else { return }
    send(frame)
    ledger.add(
      PeerLedger.SentFrame(
        number: lastFrame, end: producedCount, size: frame.count - FrameHeader.size,
        timeout: TimeSpan(clamping: timeout), image: image,
        followed: info.followed.map(\.id)), of: number)
  }

  private func openStream() {
    let timeout = random.isLucky(oneIn: 8) ? random.span(from: .milliseconds(1), to: .seconds(2)) : .zero
    let call = CallHeader(stream: ledger.nextNumber(), timeout: timeout)
    let mode: StreamMode = ledger.hasHello && random.isLucky(oneIn: 2) ? .every : .newest
    let start = WatchStart(
      options: DetectionOptions(), mode: mode,
      tracking: random.isLucky(oneIn: 3) ? TrackingOptions() : nil)
    guard let open = try? WatchCall.openFrame(call),
      let first = try? WatchCall.startFrame(stream: call.stream, start)
    else { return }
    send(open)
    ledger.add(call.stream, .stream, .watch, end: producedCount, timeout: timeout)
    ledger.begin(call.stream, mode, isTracked: start.tracking != nil)
    send(first)
  }

  // MARK: What breaks the rules

  private func sayNonsense() {
    let number = UInt32(random.pick(0...40))
    let header: FrameHeader? =
      switch random.pick(0...6) {
      case 0: FrameHeader(length: 0, stream: number, type: UInt8(random.pick(0...255)))
      case 1: FrameHeader(length: UInt32(truncatingIfNeeded: random.next()), stream: number, type: 1)
      case 2: FrameHeader(length: 5_000_000, stream: number, type: 3)
      case 3: FrameHeader(length: 70_000, stream: number, type: 0x12)
      case 4: FrameHeader(length: 0, stream: number, type: 2)
      case 5: FrameHeader(length: 0, stream: number, type: 1, flags: [.remoteOpen])
      default: nil
      }
    if let header {
      send([UInt8](capacity: FrameHeader.size) { header.encode(to: &$0) })
    } else {
      let bytes = (0..<random.pick(1...200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      send(bytes, passesDescriptor: random.isLucky(oneIn: 4))
    }
  }
}
