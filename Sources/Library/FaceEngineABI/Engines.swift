// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import Engine
import FaceCore
import Posix
import Synchronization

@c @implementation
public func face_load_model(
  _ model_dir: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_engine, "out_engine", in: Handles.engines) { () throws(Status) in
      try loadEngine([try modelFolder(model_dir, "model_dir")], LoadOptions())
    }
  }
}

@c @implementation
public func face_load_models(
  _ model_dirs: UnsafePointer<UnsafePointer<CChar>?>!, _ count: UInt32,
  _ options: UnsafePointer<face_load_options>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_engine, "out_engine", in: Handles.engines) { () throws(Status) in
      guard let model_dirs else {
        throw Status(.invalidArgument, "model_dirs is NULL; give \(count) folders")
      }
      guard 1...UInt32(FACE_MAX_MODELS) ~= count else {
        throw Status(
          .invalidArgument, "count is \(count); give 1 to \(FACE_MAX_MODELS) (FACE_MAX_MODELS) model folders")
      }
      let options = try LoadOptions(reading: options)
      let folders = try (0..<Int(count)).map { (place) throws(Status) in
        try modelFolder(model_dirs[place], "a folder of model_dirs")
      }
      return try loadEngine(folders, options)
    }
  }
}

/// The model that the caller gave by path or name; NULL stands for the one installed with the library.
private func modelFolder(_ pointer: UnsafePointer<CChar>?, _ name: StaticString) throws(Status) -> String {
  try Engine.modelFolder(pointer == nil ? nil : try path(pointer, name))
}

private func loadEngine(_ folders: [String], _ options: LoadOptions) throws(Status) -> EngineBox {
  let engine = try Engine(
    modelFolders: folders, maxInputPixels: options.maxInputPixels, threadsPerFrame: options.threadsPerFrame,
    precision: options.precision, runtime: options.engine,
    decoder: options.hasDecoderProcess ? try DecoderProgram.decoder() : nil)
  for folder in folders { Log.info("loaded the model in \(folder)") }
  return EngineBox(engine, place: folders[0], defaultTimeout: .zero)
}

@c @implementation
public func face_connect(
  _ socket_path: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  face_connect_with(socket_path, nil, out_engine)
}

@c @implementation
public func face_connect_options_init_sized(
  _ options: UnsafeMutablePointer<face_connect_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, size: size)
}

extension face_connect_options: SizedStruct {
  package static var defaults: face_connect_options {
    var value = face_connect_options()
    value.engine_user = UInt32.max
    return value
  }
}

@c @implementation
public func face_connect_with(
  _ socket_path: UnsafePointer<CChar>!, _ options: UnsafePointer<face_connect_options>!,
  _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_engine, "out_engine", in: Handles.engines) { () throws(Status) in
      var clientOptions = ClientOptions()
      var canceller: Canceller?
      if options != nil {
        let value = try VersionedStruct.read(options, name: "options")
        if value.engine_user != .max { clientOptions.engineUser = value.engine_user }
        if value.timeout_ns > 0 { clientOptions.timeout = TimeSpan(clamping: value.timeout_ns) }
        canceller = try value.canceller.map { (handle) throws(Status) in
          try Handles.cancellers.get(handle, "canceller")
        }
      }
      let path =
        socket_path == nil
        ? try SocketPath.ofClients().description : try CallerABI.path(socket_path, "socket_path")
      let client = try Client(socket: path, options: clientOptions, canceller: canceller)
      Log.info("connected to \(path)")
      return EngineBox(client, place: path, defaultTimeout: client.options.timeout)
    }
  }
}

@c @implementation
public func face_release(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    guard handle != nil else { return }
    let box = try Handles.engines.get(handle, "engine")
    guard !box.listener.isCaller else {
      throw Status(
        .failedPrecondition,
        "an engine cannot be released from inside its listener; release it after the listener returned")
    }
    // Calls in flight keep the box alive; the last of them frees it.
    _ = Handles.engines.remove(handle)
    try box.listener.bind(nil)
  }
}

/// The object behind a `face_engine`: an engine loaded here or a connection to one, and its listener.
final class EngineBox: Sendable {
  let listener = ListenerSlot()
  private let engine: any BatchDetector & StreamingDetector
  /// The model's folder or the socket's path, for the log.
  private let place: String
  /// How long a call may take if its options set no timeout; 0 for no limit.
  private let defaultTimeout: TimeSpan
  private let isLost = Atomic(false)
  private let lastFrame = Atomic<UInt64>(0)

  init(_ engine: any BatchDetector & StreamingDetector, place: String, defaultTimeout: TimeSpan) {
    self.engine = engine
    self.place = place
    self.defaultTimeout = defaultTimeout
  }

  /// Finds the faces of one image and calls the listener with the outcome.
  func detectAndNotify(_ image: CallerImage, _ options: CallOptions) throws(Status) -> DetectionResult {
    let frame = nextFrame(image)
    do throws(Status) {
      var input = image.input
      input.cancellation = token(options)
      let result = try engine.detect(input, options: options.detection)
      noteAnswer()
      listener.deliver(FrameEvent(frame: frame, outcome: .faces(result)))
      return result
    } catch {
      noteFailure(error)
      listener.deliver(FrameEvent(frame: frame, outcome: .failed(error)))
      throw error
    }
  }

  /// Finds the faces of several images and calls the listener with the outcome of each. Throws failures that
  /// concern all of them.
  func detectBatchAndNotify(
    _ images: [CallerImage], _ options: CallOptions
  ) throws(Status) -> [Result<DetectionResult, Status>] {
    let frames = images.map(nextFrame)
    do throws(Status) {
      let outcomes = try call { () throws(Status) in
        try engine.detectBatch(
          images.map(\.input), options: options.detection, cancellation: token(options))
      }
      for (frame, outcome) in zip(frames, outcomes) {
        switch outcome {
        case .success(let result): listener.deliver(FrameEvent(frame: frame, outcome: .faces(result)))
        case .failure(let status): listener.deliver(FrameEvent(frame: frame, outcome: .failed(status)))
        }
      }
      return outcomes
    } catch {
      for frame in frames { listener.deliver(FrameEvent(frame: frame, outcome: .failed(error))) }
      throw error
    }
  }

  func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try call { () throws(Status) in try engine.openStream(options, deliver: deliver) }
  }

  /// Runs one call of the engine, and logs when the engine is lost or found again.
  func call<Value>(_ body: () throws(Status) -> Value) throws(Status) -> Value {
    do throws(Status) {
      let value = try body()
      noteAnswer()
      return value
    } catch {
      noteFailure(error)
      throw error
    }
  }

  private func noteAnswer() {
    if isLost.load(ordering: .relaxed), isLost.exchange(false, ordering: .relaxed) {
      Log.info("connected again to \(place)")
    }
  }

  private func noteFailure(_ error: Status) {
    if error.code == .unavailable, !isLost.exchange(true, ordering: .relaxed) {
      Log.warning("lost the engine at \(place): \(error.message)")
    }
  }

  private func nextFrame(_ image: CallerImage) -> FrameInfo {
    FrameInfo(number: lastFrame.add(1, ordering: .relaxed).newValue, timestamp: image.timestamp)
  }

  /// The token that ends a call with `options` at its deadline or when cancelled; `nil` if it has neither.
  func token(_ options: CallOptions) -> CancellationToken? {
    let timeout = options.timeout == .zero ? defaultTimeout : options.timeout
    return timeout == .zero && options.canceller == nil
      ? nil : CancellationToken(timeout: timeout, canceller: options.canceller)
  }
}
