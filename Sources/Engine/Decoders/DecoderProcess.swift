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
    /// The process has ended, and not for its call.
    case ended
    /// The call is over, and the process still at work.
    case stopped(Status)
  }

  /// The time between two checks of the token.
  private static let step: TimeSpan = .milliseconds(2)
  /// The processor time after which it is not used again, far below its limit.
  private static let longestUse: TimeSpan = .seconds(30)

  let id: Int32
  private let channel: PacketChannel
  /// Leads to the process that forked it, with which it ends.
  let parent: PacketChannel
  /// How it has ended, when its factory has learnt that. Under the lock of the factory.
  var end: ProcessEnd?
  /// The processor time until now.
  private var used: TimeSpan = .zero
  /// The memory of the last file and of the last pixels, which the process has mapped, too. Its pages are there
  /// already, unlike those of new memory.
  private var files: SharedPixels?
  private var pixels: SharedPixels?

  /// The bytes of the last file in `files`.
  private var fileSize = 0

  init(id: Int32, _ channel: PacketChannel, parent: PacketChannel) {
    self.id = id
    self.channel = channel
    self.parent = parent
  }

  /// Whether the process that forked it is lost: it has ended for that, and not for its picture, or will.
  var isOrphan: Bool { parent.isAbandoned }

  /// Whether it can be used for another call.
  var isReusable: Bool { used < Self.longestUse && !channel.isAbandoned && !isOrphan }

  /// The bytes of its memory that are kept for the next call.
  var keptBytes: Int { (files?.bytes.count ?? 0) + (pixels?.bytes.count ?? 0) }

  /// A file to open.
  enum File {
    /// The caller's bytes, which are copied.
    case borrowed(UnsafeRawBufferPointer)
    /// The beginning of memory that is shared already.
    case shared(SharedPixels, byteCount: Int)
  }

  /// Takes the last file, for another process, and releases the memory for pixels.
  func takeFile() -> File? {
    defer { (files, pixels) = (nil, nil) }
    return files.map { .shared($0, byteCount: fileSize) }
  }

  /// Has the process read the header of a file. Throws `resourceExhausted`, and the token's error while the file is
  /// copied.
  func open(_ file: File, _ token: CancellationToken?) throws(Status) -> Outcome {
    let (memory, isKept): (SharedPixels, Bool)
    switch file {
    case .borrowed(let bytes):
      isKept = files.map { $0.fits(bytes.count) } ?? false
      if !isKept { files = nil }
      memory = if let files { files } else { try SharedPixels(byteCount: bytes.count) }
      memory.use(bytes.count)
      try memory.bytes.fill(from: bytes, token)
      fileSize = bytes.count
    case .shared(let shared, let byteCount): (memory, isKept, fileSize) = (shared, false, byteCount)
    }
    files = memory
    return outcome(of: DecodeRequest(operation: .open, byteCount: fileSize), in: memory, isKept, token)
  }

  /// Has the process decode the file, or describe it. Throws `resourceExhausted`.
  /// - Parameter byteCount: of the pixels, or the most of a profile.
  func ask(
    _ operation: DecodeRequest.Operation, _ form: PixelForm = PixelForm(), byteCount: Int,
    _ token: CancellationToken?
  ) throws(Status) -> (outcome: Outcome, memory: SharedPixels) {
    // The pixels of the last call may still be in use.
    let isKept = isKnownUniquelyReferenced(&pixels) && pixels?.fits(byteCount) == true
    if !isKept { pixels = nil }
    let memory = if let pixels { pixels } else { try SharedPixels(byteCount: byteCount) }
    memory.use(byteCount)
    pixels = memory
    let request = DecodeRequest(operation: operation, form, byteCount: byteCount)
    return (outcome(of: request, in: memory, isKept, token), memory)
  }

  /// Waits for the response to a request. Processor time of the process is charged to the call.
  private func outcome(
    of request: DecodeRequest, in memory: SharedPixels, _ isKept: Bool, _ token: CancellationToken?
  ) -> Outcome {
    var request = request
    do throws(Status) {
      guard try send(&request, memory, isKept, token) else { return .ended }
    } catch {
      if token?.isOver == true { return .stopped(error) }
      // This process could not send it, as without memory for that. A part of a file leaves the decoder useless.
      forget(memory)
      return memory.isShared ? .failed(error) : .ended
    }
    while true {
      let deadline = token == nil ? .never : MonotonicTime.now() + Self.step
      let received = try? channel.receive(DecodeResponse.self, until: deadline)
      charge(token)
      switch received {
      case .value(let response, _) where response.code == StatusCode.ok.rawValue:
        guard !memory.isShared, request.operation != .open else { return .done(response) }
        do throws(Status) {
          let pixels = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<request.byteCount])
          return try channel.receive(into: pixels) { () throws(Status) in try check(token) }
            ? .done(response) : .ended
        } catch {
          return token?.isOver == true ? .stopped(error) : .ended
        }
      case .value(let response, let message):
        // It may not have mapped what came with the request.
        forget(memory)
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

  /// - Returns: whether the process is there.
  private func send(
    _ request: inout DecodeRequest, _ memory: SharedPixels, _ isKept: Bool, _ token: CancellationToken?
  ) throws(Status) -> Bool {
    guard memory.isShared else {
      guard try channel.send(request) else { return false }
      guard request.operation == .open else { return true }
      let file = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory.bytes)[..<request.byteCount])
      return try channel.send(file) { () throws(Status) in try check(token) }
    }
    request.memorySize = memory.bytes.count
    return isKept ? try channel.send(request) : try memory.send(request, on: channel)
  }

  private func check(_ token: CancellationToken?) throws(Status) {
    charge(token)
    try token?.check()
  }

  private func forget(_ memory: SharedPixels) {
    if files === memory { files = nil } else { pixels = nil }
  }

  private func charge(_ token: CancellationToken?) {
    guard let now = ChildProcess.processorTime(of: id), now > used else { return }
    token?.charge(now - used)
    used = now
  }
}

/// Memory for a file or for pixels of a decoder. It is shared with the decoder unless the limit of file sizes forbids
/// that.
final class SharedPixels: PixelMemory {
  private enum Place: ~Copyable {
    case shared(MemoryFile)
    case own(HeapMemory)
  }

  private let place: Place
  let isShared: Bool
  let bytes: UnsafeMutableRawBufferPointer

  /// The bytes that have pages.
  private var usedBytes = 0

  /// Makes somewhat more than `byteCount` bytes, since the next picture may be a little larger.
  init(byteCount: Int) throws(Status) {
    let step = max(1 << 16, byteCount / 8)
    let size = (byteCount + step - 1) / step * step
    isShared = size <= MemoryFile.mostBytes ?? .max
    do throws(Status) {
      if isShared {
        let file = try MemoryFile(size: size)
        bytes = file.bytes
        place = .shared(file)
      } else {
        let memory = try HeapMemory(byteCount: size)
        bytes = memory.bytes
        place = .own(memory)
      }
    } catch {
      throw Status(
        error.code,
        "no memory for \(byteCount) bytes to share with a decoder (\(error.message)); free some memory and try again, or "
          + "send a smaller picture")
    }
  }

  /// Sends a request with the memory, which must be shared.
  /// - Returns: whether the other process is there.
  func send(_ request: DecodeRequest, on channel: PacketChannel) throws(Status) -> Bool {
    switch place {
    case .shared(let file): try channel.send(request, passing: file.descriptor)
    case .own: try channel.send(request)
    }
  }

  /// The process that may remove pages; a fork of it shares them.
  private let owner = CurrentProcess.id

  // At once: another process may have the pages mapped, and another call may be waiting for the memory.
  deinit { if CurrentProcess.id == owner { removePages(from: 0) } }

  private func removePages(from byteCount: Int) {
    switch place {
    case .shared(let file): file.removePages(from: byteCount)
    case .own: break
    }
  }

  /// Gives the pages behind the first bytes back. To be called before these are used.
  func use(_ byteCount: Int) {
    if byteCount < usedBytes { removePages(from: byteCount) }
    usedBytes = byteCount
  }

  /// Whether it has room for `byteCount` bytes, and not far too much.
  func fits(_ byteCount: Int) -> Bool {
    byteCount <= bytes.count && bytes.count / 8 <= max(byteCount, 1 << 16)
  }
}
