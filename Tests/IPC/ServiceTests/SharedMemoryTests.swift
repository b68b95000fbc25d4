import FaceCore
import Glibc
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// Tests that count the open descriptors and mappings of the whole process.
@Suite(.serialized) struct SharedMemoryTests {
  private let side = 64

  /// A peer that said Hello.
  private func connect(_ engine: TestServer) throws -> RawPeer {
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    return peer
  }

  private func offer(_ peer: RawPeer, _ number: UInt32, _ file: borrowing MemoryFile) throws {
    let frame = ControlFromClient.register(buffer: number, size: UInt64(file.bytes.count)).frame
    try peer.send(frame, passing: file.descriptor)
  }

  private func expectTaken(_ peer: RawPeer, _ number: UInt32, _ code: StatusCode? = nil) throws {
    guard case .registration(let buffer, let failure) = try peer.receiveControl() else {
      Issue.record("no answer to an offer")
      return
    }
    #expect(buffer == number)
    #expect(failure?.code == code)
  }

  private func detect(_ stream: UInt32, _ source: MessageImage.Source) throws -> [UInt8] {
    try DetectCall.requestFrame(CallHeader(stream: stream), MessageImage(source), DetectionOptions())
  }

  private func gray(_ number: UInt32, offset: UInt64 = 0) -> MessageImage.Source {
    .sharedPixels(
      SharedPixels(buffer: number, offset: offset, PixelLayout(format: .gray, width: side, height: side)))
  }

  private func mappings() throws -> Int {
    let maps = String(decoding: try File.read("/proc/self/maps", limit: 64 << 20), as: UTF8.self)
    return maps.split(separator: "\n").count { $0.contains("memfd:face-engine") && $0.contains(" r--s ") }
  }

  private func memoryFiles() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var target = [UInt8](repeating: 0, count: 256)
      let length = target.withUnsafeMutableBytes { buffer in
        buffer.assumingMemoryBound(to: CChar.self).baseAddress.map {
          readlink("/proc/self/fd/\(name)", $0, buffer.count)
        } ?? 0
      }
      if length > 0, target.starts(with: "/memfd:face-engine".utf8) { count += 1 }
    }
    return count
  }

  /// Waits until `count` buffers are mapped for clients: tests of other suites may have some for a moment.
  private func expectMapped(_ count: Int) throws {
    for _ in 0..<100_000 {
      if try mappings() == count { return }
    }
    #expect(try mappings() == count)
  }

  /// Waits until no buffer is mapped for any client and only `files` memfds, the test's own, are open.
  private func expectNothingLeft(files: Int = 0) throws {
    for _ in 0..<100_000 {
      if try mappings() == 0, memoryFiles() == files { return }
    }
    #expect(try mappings() == 0)
    #expect(memoryFiles() == files)
  }

  // MARK: As it should be

  @Test func pixelsAndFilesInABufferAreDetected() throws {
    let engine = try TestServer()
    let peer = try connect(engine)
    let file = try MemoryFile(size: 2 * side * side)
    file.bytes[0] = 5
    file.bytes[side * side] = 6
    try offer(peer, 1, file)
    // This is sent without waiting for the answer to the offer.
    try peer.send(try detect(3, gray(1)))
    try expectTaken(peer, 1)
    #expect(try peer.receiveStatus().failure == nil)
    try peer.send(try detect(5, gray(1, offset: UInt64(side * side))))
    #expect(try peer.receiveStatus().failure == nil)
    let part = SharedBytes(buffer: 1, offset: UInt64(side * side), size: 100)
    try peer.send(try detect(7, .sharedEncoded(part)))
    #expect(try peer.receiveStatus().failure == nil)
    #expect(engine.detector.marks == [5, 6, 6])
    try expectMapped(1)
    try peer.send(ControlFromClient.unregister(buffer: 1).frame)
    try expectTaken(peer, 1)
    try expectNothingLeft(files: 1)
    try peer.send(try detect(9, gray(1)))
    #expect(try peer.receiveStatus().failure?.code == .notFound)
    // The number can be used again.
    try offer(peer, 1, file)
    try expectTaken(peer, 1)
    peer.close()
    try expectNothingLeft(files: 1)
  }

  @Test func framesOfAStreamMayLieInABuffer() throws {
    let engine = try TestServer()
    let peer = try connect(engine)
    let file = try MemoryFile(size: side * side)
    try offer(peer, 7, file)
    try expectTaken(peer, 7)
    try peer.send(try Frames.watch(3))
    for id in 1...10 as ClosedRange<UInt64> {
      file.bytes[0] = UInt8(id)
      try peer.send(
        try WatchCall.requestFrame(stream: 3, FrameInfo(number: id), MessageImage(gray(7))))
      let answer = try peer.receiveWatch()
      #expect(answer.result?.faces.first?.box.x == Float(id))
    }
    engine.stop()
    try expectNothingLeft(files: 1)
  }

  /// Calls and frames under way hold the buffers that they name and no others, so that a client with more sizes of
  /// images than buffers can always replace one that it does not use.
  @Test(arguments: [false, true]) func bufferThatNoCallNamesMakesRoomAtOnce(isStream: Bool) throws {
    let engine = try TestServer { $0.limits.buffersPerConnection = 2 }
    let peer = try connect(engine)
    let file = try MemoryFile(size: side * side)
    for number in 1...2 as ClosedRange<UInt32> {
      try offer(peer, number, file)
      try expectTaken(peer, number)
    }
    engine.detector.hold()
    if isStream {
      try peer.send(try Frames.watch(3))
      try peer.send(try WatchCall.requestFrame(stream: 3, FrameInfo(number: 1), MessageImage(gray(1))))
    } else {
      try peer.send(try detect(3, gray(1)))
    }
    engine.detector.waitUntilRunning(1)
    try peer.send(ControlFromClient.unregister(buffer: 2).frame)
    try expectTaken(peer, 2)
    try offer(peer, 3, file)
    try expectTaken(peer, 3)
    // The one in use counts after it was taken back.
    try peer.send(ControlFromClient.unregister(buffer: 1).frame)
    try expectTaken(peer, 1)
    try offer(peer, 4, file)
    try expectTaken(peer, 4, .resourceExhausted)
    engine.detector.release()
    if isStream { _ = try peer.receiveWatch() } else { #expect(try peer.receiveStatus().failure == nil) }
    engine.stop()
    try expectNothingLeft(files: 1)
  }

  @Test(arguments: [false, true]) func bufferIsUnmappedAfterItsLastUse(disconnects: Bool) throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try connect(engine)
    do {
      let file = try MemoryFile(size: side * side)
      try offer(peer, 1, file)
      try peer.send(try detect(3, gray(1)) + detect(5, gray(1)))
      try expectTaken(peer, 1)
      engine.detector.waitUntilRunning(1)
    }
    if disconnects {
      peer.close()
    } else {
      try peer.send(ControlFromClient.unregister(buffer: 1).frame)
      try expectTaken(peer, 1)
    }
    // The running call still reads it.
    try expectMapped(1)
    engine.detector.release()
    if !disconnects { for _ in 0..<2 { #expect(try peer.receiveStatus().failure == nil) } }
    try expectNothingLeft()
  }

  // MARK: Refused

  @Test func onlySealedMemoryOfItsSizeIsTaken() throws {
    let engine = try TestServer()
    let peer = try connect(engine)
    let unsealed = try MemoryFile(size: 4096, isSealed: false)
    try offer(peer, 1, unsealed)
    try expectTaken(peer, 1, .invalidArgument)
    let sealed = try MemoryFile(size: 4096)
    for size in [4095, 4097, 1 << 40, 1 << 63, .max] as [UInt64] {
      try peer.send(ControlFromClient.register(buffer: 1, size: size).frame, passing: sealed.descriptor)
      let code: StatusCode = size == 1 << 40 ? .resourceExhausted : .invalidArgument
      try expectTaken(peer, 1, code)
    }
    // /dev/null is neither a memfd nor a file.
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    do {
      let descriptor = Descriptor(owning: null)
      try peer.send(ControlFromClient.register(buffer: 1, size: 1).frame, passing: descriptor)
    }
    try expectTaken(peer, 1, .invalidArgument)
    try peer.send(ControlFromClient.register(buffer: 1, size: 1).frame)
    try expectTaken(peer, 1, .invalidArgument)
    try expectNothingLeft(files: 2)
    try peer.expectServed(9)
  }

  @Test func numbersOfBuffersAreTakenOnceAndWithdrawnOnce() throws {
    let engine = try TestServer()
    let peer = try connect(engine)
    let page = try MemoryFile(size: 4096)
    for code in [nil, .alreadyExists] as [StatusCode?] {
      try offer(peer, 1, page)
      try expectTaken(peer, 1, code)
    }
    for code in [nil, .notFound] as [StatusCode?] {
      try peer.send(ControlFromClient.unregister(buffer: 1).frame)
      try expectTaken(peer, 1, code)
    }
    peer.close()
    try expectNothingLeft(files: 1)
  }

  // MARK: Lies

  @Test func imageOutsideItsBufferIsRefused() throws {
    let engine = try TestServer()
    let peer = try connect(engine)
    let file = try MemoryFile(size: side * side)
    try offer(peer, 1, file)
    try expectTaken(peer, 1)
    var pixels = SharedPixels(buffer: 1, offset: 0, PixelLayout(format: .gray, width: 64, height: 64))
    var parts: [(MessageImage.Source, StatusCode)] = []
    for change in [
      { $0.offset = 1 }, { $0.offset = .max }, { $0.layout.format = .rgba }, { $0.layout.size.height = 65 },
      { $0.layout.stride = 65 },
      { $0.layout.stride = 63 }, { $0.layout.stride = Int(UInt32.max) },
    ] as [(inout SharedPixels) -> Void] {
      var lie = pixels
      change(&lie)
      parts.append((.sharedPixels(lie), .invalidArgument))
    }
    pixels.layout.size.width = Int(UInt32.max)
    parts.append((.sharedPixels(pixels), .outOfRange))
    parts.append((gray(2), .notFound))
    for (offset, size) in [(0, 4097), (4096, 1), (1, .max), (.max, 1), (.max, .max)] as [(UInt64, UInt64)] {
      parts.append((.sharedEncoded(SharedBytes(buffer: 1, offset: offset, size: size)), .invalidArgument))
    }
    for (index, (part, code)) in parts.enumerated() {
      try peer.send(try detect(UInt32(2 * index + 3), part))
      #expect(try peer.receiveStatus().failure?.code == code)
    }
    #expect(engine.detector.calls == 0)
    peer.close()
    try expectNothingLeft(files: 1)
  }

  @Test func writingToABufferWhileItIsReadIsHarmless() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try connect(engine)
    let file = try MemoryFile(size: side * side)
    file.bytes[0] = 1
    try offer(peer, 1, file)
    try expectTaken(peer, 1)
    // The encoded image was copied when the detector got it: later writes do not reach it.
    try peer.send(try detect(3, .sharedEncoded(SharedBytes(buffer: 1, offset: 0, size: 4))))
    engine.detector.waitUntilRunning(1)
    file.bytes.copyBytes(from: "bad!".utf8)
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    // A hole in the file is zeros, not a fault. madvise(2), MADV_REMOVE
    let raw = file.descriptor.raw
    #expect(madvise(file.bytes.baseAddress, file.bytes.count, 9) == 0)
    try peer.send(try detect(5, gray(1)))
    #expect(try peer.receiveStatus().failure == nil)
    // Its size is final.
    #expect(ftruncate(raw, 0) != 0)
  }

  // MARK: Descriptors where none belong

  @Test func descriptorOnAnotherFrameEndsThePeer() throws {
    let engine = try TestServer()
    let file = try MemoryFile(size: 4096)
    for frame in [
      try Frames.health(3), ControlFromClient.ping(1).frame, ControlFromClient.unregister(buffer: 1).frame,
      Array(try Frames.health(3).prefix(9)), Frames.header(100, 3),
    ] {
      let peer = try connect(engine)
      try peer.send(frame, passing: file.descriptor)
      while let answer = try peer.receive() { #expect(answer.header.type != FrameType.data.rawValue) }
      try expectNothingLeft(files: 1)
    }
    // One is sent in the middle of a large request, one before Hello.
    let large = try connect(engine)
    try large.send(Frames.header(1 << 20, 3) + [UInt8](repeating: 0, count: 1000))
    try large.send([UInt8](repeating: 0, count: 1000), passing: file.descriptor)
    #expect(try large.receive() == nil)
    let stranger = try RawPeer(engine.socket)
    try offer(stranger, 1, file)
    while try stranger.receive() != nil {}
    try expectNothingLeft(files: 1)
    try connect(engine).send(try Frames.health(3))
  }

  @Test func severalDescriptorsEndThePeer() throws {
    let engine = try TestServer()
    let file = try MemoryFile(size: 4096)
    for count in [2, 3, 253] {
      let peer = try connect(engine)
      try peer.send(
        ControlFromClient.register(buffer: 1, size: 4096).frame, passing: file.descriptor, times: count)
      #expect(try peer.receive() == nil)
      try expectNothingLeft(files: 1)
    }
    #expect(engine.log.lines.contains { $0.contains("descriptor") })
  }

  /// An offer in two pieces is taken if the descriptor came with the first, and nothing is left if the rest
  /// never arrives.
  @Test func offerSentInPiecesIsTaken() throws {
    let engine = try TestServer()
    let file = try MemoryFile(size: 4096)
    let frame = ControlFromClient.register(buffer: 1, size: 4096).frame
    for cut in 1..<frame.count {
      let peer = try connect(engine)
      try peer.send(Array(frame[..<cut]), passing: file.descriptor)
      if cut % 2 == 0 {
        try peer.send(Array(frame[cut...]))
        try expectTaken(peer, 1)
      }
      peer.close()
      try expectNothingLeft(files: 1)
    }
    let peer = try connect(engine)
    for byte in frame.dropLast() { try peer.send([byte]) }
    try peer.send(Array(frame.suffix(1)), passing: file.descriptor)
    try expectTaken(peer, 1)
  }
}
