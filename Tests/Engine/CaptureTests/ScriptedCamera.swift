import Capture
import FaceCore
import Glibc
import Posix
import Synchronization

/// A camera driver that follows a script, with buffers like those that a driver maps.
final class ScriptedCamera: CameraDevice, @unchecked Sendable {
  enum Step {
    case frame([UInt8], timestamp: Int64? = 1, isBroken: Bool = false)
    /// The driver's poll reports a frame, but there is none.
    case tryAgain
    case failure(Int32)
    /// No frame, however long one waits.
    case silence
  }

  private struct State {
    var steps: [Step]
    /// Buffers that the driver may fill.
    var queued: [Int] = []
    var isStreaming = false
    var granted: VideoFormat?
    var askedRate: Int?
  }

  var capabilities = VideoCapability(name: "Scripted", isCamera: true)
  /// The sizes that it offers, each with a rate.
  var offered: [FourCC: [(VideoSizes, Double?)]]
  /// The format that it grants whatever the request is; `nil` to grant the request.
  var stubborn: VideoFormat?
  var bufferBytes = 64 * 64 * 4
  // These are set before the camera is used, or by the thread that starts it.
  private(set) var buffers: [UnsafeRawBufferPointer] = []
  private let state: Mutex<State>

  init(_ format: FourCC, _ size: PixelSize = PixelSize(width: 16, height: 16), _ steps: [Step] = []) {
    offered = [format: [(VideoSizes(size), 30)]]
    state = Mutex(State(steps: steps))
  }

  deinit {
    for buffer in buffers { UnsafeMutableRawPointer(mutating: buffer.baseAddress)?.deallocate() }
  }

  var queued: [Int] { state.withLock { $0.queued } }
  var isStreaming: Bool { state.withLock { $0.isStreaming } }
  var granted: VideoFormat? { state.withLock { $0.granted } }
  var askedRate: Int? { state.withLock { $0.askedRate } }

  func capability() throws(SystemError) -> VideoCapability { capabilities }

  func formats() throws(SystemError) -> [FourCC] { Array(offered.keys) }

  func sizes(of format: FourCC) throws(SystemError) -> [VideoSizes] { (offered[format] ?? []).map(\.0) }

  func rates(of format: FourCC, _ size: PixelSize) throws(SystemError) -> [Double] {
    (offered[format] ?? []).filter { $0.0.nearest(to: size) == size }.compactMap(\.1)
  }

  func setFormat(_ code: FourCC, _ size: PixelSize) throws(SystemError) -> VideoFormat {
    // Rows have a gap, as those of drivers do.
    let format =
      stubborn
      ?? VideoFormat(
        code: code, size: size, stride: code == FourCC("YUYV") ? size.width * 2 + 8 : size.width + 8,
        colour: .bt601Video)
    state.withLock { $0.granted = format }
    return format
  }

  func setRate(_ framesPerSecond: Int) throws(SystemError) -> Double? {
    state.withLock { $0.askedRate = framesPerSecond }
    return Double(framesPerSecond)
  }

  func start(buffers count: Int) throws(SystemError) {
    for index in 0..<count {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 64)
      buffers.append(UnsafeRawBufferPointer(memory))
      try queue(index)
    }
    state.withLock { $0.isStreaming = true }
  }

  func stop() { state.withLock { $0.isStreaming = false } }

  func wait(
    or interruption: Interruption, until deadline: MonotonicTime
  ) throws(SystemError) -> Interruption.Waited {
    let isReady = state.withLock { state -> Bool in
      guard let step = state.steps.first else { return false }
      if case .silence = step { return false }
      return true
    }
    return isReady ? .readable : try interruption.wait(toRead: -1, until: deadline)
  }

  func dequeue() throws(SystemError) -> VideoBuffer {
    try state.withLock { (state) throws(SystemError) -> VideoBuffer in
      guard !state.steps.isEmpty else { throw SystemError(call: "VIDIOC_DQBUF", code: EAGAIN) }
      switch state.steps[0] {
      case .tryAgain:
        state.steps.removeFirst()
        throw SystemError(call: "VIDIOC_DQBUF", code: EAGAIN)
      case .failure(let code):
        state.steps.removeFirst()
        throw SystemError(call: "VIDIOC_DQBUF", code: code)
      case .silence: throw SystemError(call: "VIDIOC_DQBUF", code: EAGAIN)
      case .frame(let bytes, let timestamp, let isBroken):
        guard !state.queued.isEmpty else { throw SystemError(call: "VIDIOC_DQBUF", code: EAGAIN) }
        state.steps.removeFirst()
        let index = state.queued.removeFirst()
        UnsafeMutableRawBufferPointer(mutating: buffers[index]).copyBytes(from: bytes)
        return VideoBuffer(index: index, bytesUsed: bytes.count, timestamp: timestamp, isBroken: isBroken)
      }
    }
  }

  func queue(_ index: Int) throws(SystemError) {
    state.withLock { $0.queued.append(index) }
  }
}

/// Hands out cameras or failures, one after the other.
final class ScriptedPort: Sendable {
  private let attempts: Mutex<[Result<ScriptedCamera, SystemError>]>
  let opened = Tally()

  init(_ attempts: [Result<ScriptedCamera, SystemError>]) {
    self.attempts = Mutex(attempts)
  }

  convenience init(_ camera: ScriptedCamera) { self.init([.success(camera)]) }

  static func failure(_ code: Int32) -> Result<ScriptedCamera, SystemError> {
    .failure(SystemError(call: "open", code: code))
  }

  var opener: CameraOpener {
    CameraOpener { (_) throws(SystemError) in
      self.opened.add()
      let next = self.attempts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let next else { throw SystemError(call: "open", code: ENOENT) }
      return try next.get()
    }
  }
}
