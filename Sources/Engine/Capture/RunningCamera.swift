import FaceCore
import Posix

/// An open camera that delivers frames.
final class RunningCamera: Sendable {
  let description: OpenedCamera
  private let device: any CameraDevice
  /// The pixels of a frame; `nil` for JPEG files.
  private let layout: PixelLayout?
  private let rate: FrameRate?

  /// The number of buffers: one being searched, one waiting, one being filled, and as many again for drivers
  /// that hold some back.
  private static let bufferCount = 6
  /// The pause after poll(2) reported a frame that was not there.
  private static let pause: TimeSpan = .milliseconds(5)

  /// Opens the camera in the mode that `CameraChoice` chooses. Error messages name the camera.
  init(_ path: String, _ options: CameraOptions, _ open: CameraOpener) throws(Status) {
    func query<Value>(_ body: () throws(SystemError) -> Value) throws(Status) -> Value {
      do {
        return try body()
      } catch {
        throw error.status("cannot use the camera \(path)")
      }
    }
    func refusal(_ code: StatusCode, _ reason: String) -> Status {
      Status(code, "cannot use the camera \(path): \(reason)")
    }

    let device = try query { () throws(SystemError) in try open(path) }
    let mode: CameraMode
    do throws(Status) {
      mode = try CameraChoice.choose(device, options)
    } catch {
      throw refusal(error.code, error.message)
    }
    let granted = try query { () throws(SystemError) in try device.setFormat(mode.format.code, mode.size) }
    guard granted.code == mode.format.code, options.size == nil || granted.size == options.size else {
      throw refusal(
        .failedPrecondition,
        "requested \(mode.format.code) of \(mode.size.text), the driver set \(granted.code) of \(granted.size.text)"
      )
    }
    layout = try mode.format.pixels.map { (format) throws(Status) in
      do throws(Status) {
        let layout = PixelLayout(
          format: format, width: granted.size.width, height: granted.size.height, stride: granted.stride,
          colour: granted.colour)
        try layout.validate()
        return layout
      } catch {
        throw refusal(error.code, error.message)
      }
    }
    let wanted = options.framesPerSecond ?? CameraChoice.usualRate
    let rate = try query { () throws(SystemError) in try device.setRate(wanted) }
    self.rate = rate.flatMap { FrameRate(UInt32(clamping: Int(min($0, 1e6) * 1000)), 1000) }
    try query { () throws(SystemError) in try device.start(buffers: RunningCamera.bufferCount) }
    guard !device.buffers.isEmpty else { throw refusal(.resourceExhausted, "its driver has no buffers") }
    let name = try query { () throws(SystemError) in try device.capability().name }
    description = OpenedCamera(path: path, name: name, format: mode.format, size: granted.size, rate: rate)
    self.device = device
  }

  /// Stops the stream. Frames delivered before stay valid.
  func stop() { device.stop() }

  /// Waits for a frame. Throws if the camera is gone.
  /// - Parameter silence: how long to wait for a frame.
  func next(or interruption: Interruption, within silence: TimeSpan) throws(Status) -> SourceItem {
    let deadline = MonotonicTime.now() + silence
    while true {
      do throws(SystemError) {
        switch try device.wait(or: interruption, until: deadline) {
        case .interrupted: return .ended
        case .readable: return item(try device.dequeue())
        case .late: break
        }
      } catch {
        guard error.isTryAgain else { throw error.status("the camera is gone") }
        guard interruption.pause(until: .now() + RunningCamera.pause) else {
          return .ended
        }
      }
      guard MonotonicTime.now() < deadline else {
        throw Status(.unavailable, "the camera delivered no frame for \(silence / .seconds(1)) s")
      }
    }
  }

  private func item(_ buffer: VideoBuffer) -> SourceItem {
    let owner = FilledBuffer(device, buffer.index)
    let origin = FrameOrigin(
      timestamp: UInt64(clamping: buffer.timestamp ?? MonotonicTime.now().nanoseconds))
    func broken(_ reason: String) -> SourceItem {
      .broken(Status(.dataLoss, "the camera's frame is damaged: \(reason)"), origin)
    }
    guard !buffer.isBroken else { return broken("its driver says so") }
    guard device.buffers.indices.contains(buffer.index) else { return broken("its buffer does not exist") }
    let bytes = UnsafeRawBufferPointer(
      rebasing: device.buffers[buffer.index].prefix(max(0, buffer.bytesUsed)))
    let content: ImageInput.Source
    if let layout {
      guard let view = try? layout.view(of: bytes) else {
        return broken("it has \(bytes.count) of \(layout.byteCount) bytes")
      }
      content = .pixels(view)
    } else {
      guard !bytes.isEmpty else { return broken("it has no bytes") }
      content = .encoded(bytes)
    }
    return .frame(CapturedFrame(content, origin, rate: rate, owner: owner))
  }
}

/// A driver's buffer with a frame, queued again when this object ends.
private final class FilledBuffer: Sendable {
  private let device: any CameraDevice
  private let index: Int

  init(_ device: any CameraDevice, _ index: Int) {
    self.device = device
    self.index = index
  }

  deinit {
    // Fails if the camera is gone, which the next wait for a frame reports.
    try? device.queue(index)
  }
}
