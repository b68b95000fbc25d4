internal import CFaceEngine

/// Finds faces: with models that are loaded into this process, or through an engine process. Any number of tasks and
/// threads may use an engine at once. The last reference frees it.
///
/// Calls with `await` leave threads for other tasks, and end within milliseconds when their task is cancelled. Their
/// twins with
/// `AndWait` in the name are for programs without tasks, and run on the calling thread.
public final class FaceEngine: Sendable {
  let handle: Handle
  let threads: CallThreads
  /// Whether the models run in this process.
  private let isLoaded: Bool

  private init(_ handle: Handle, _ threads: CallThreads, isLoaded: Bool) {
    (self.handle, self.threads, self.isLoaded) = (handle, threads, isLoaded)
  }

  deinit { threads.close() }

  /// The version of the library, as in "0.2.0".
  public static var version: String { String(cString: face_version_string()) }

  // MARK: Load and connect

  /// Loads models.
  /// - Parameter models: paths of folders or .onnx files, or names of installed models, such as "centerface". A call
  ///   may choose one by ``DetectOptions/model``, and uses the first one otherwise. Without any, the installed
  ///   detector.
  public static func load(
    _ models: String..., options: LoadOptions = LoadOptions()
  ) async throws(FaceError) -> FaceEngine {
    let threads = CallThreads(limit: CallThreads.processors)
    let handle = try await threads.run { _ throws(FaceError) in try loaded(models, options) }
    return FaceEngine(handle, threads, isLoaded: true)
  }

  /// Loads models, as ``load(_:options:)``.
  public static func loadAndWait(
    _ models: String..., options: LoadOptions = LoadOptions()
  ) throws(FaceError) -> FaceEngine {
    FaceEngine(try loaded(models, options), CallThreads(limit: CallThreads.processors), isLoaded: true)
  }

  /// Connects to a running engine (`face-engine serve`).
  /// - Parameter socket: the path of its Unix socket; nil for the user's, or else the system service's.
  public static func connect(
    to socket: String? = nil, options: ConnectOptions = ConnectOptions()
  ) async throws(FaceError) -> FaceEngine {
    let threads = CallThreads(limit: callsPerConnection)
    let handle = try await threads.run { canceller throws(FaceError) in
      try connected(socket, options, canceller)
    }
    return FaceEngine(handle, threads, isLoaded: false)
  }

  /// Connects to a running engine, as ``connect(to:options:)``.
  public static func connectAndWait(
    to socket: String? = nil, options: ConnectOptions = ConnectOptions()
  ) throws(FaceError) -> FaceEngine {
    FaceEngine(try connected(socket, options, nil), CallThreads(limit: callsPerConnection), isLoaded: false)
  }

  /// More calls of one engine wait in the library.
  private static let callsPerConnection = 16

  private static func loaded(_ models: [String], _ options: LoadOptions) throws(FaceError) -> Handle {
    try withCStrings(models.isEmpty ? [nil] : models) { models throws(FaceError) in
      try options.withC { options throws(FaceError) in
        try Handle(face_release) { engine throws(FaceError) in
          try check(face_load_models(models, UInt32(models.count), &options, &engine))
        }
      }
    }
  }

  private static func connected(
    _ socket: String?, _ options: ConnectOptions, _ canceller: Canceller?
  ) throws(FaceError) -> Handle {
    try withCString(socket) { socket throws(FaceError) in
      try options.withC { options throws(FaceError) in
        options.canceller = canceller?.c
        return try Handle(face_release) { engine throws(FaceError) in
          try check(face_connect_with(socket, &options, &engine))
        }
      }
    }
  }

  // MARK: Images

  /// Finds the faces of an image.
  /// - Parameter outputs: what to measure of each face.
  public func faces(
    in image: Image, _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> Faces {
    try await find(image, outputs, options, borrows: false)
  }

  /// Finds the faces of an image.
  /// - Parameter outputs: what to measure of each face.
  public func facesAndWait(
    in image: Image, _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) throws(FaceError) -> Faces {
    try detect(image, outputs, options, nil)
  }

  /// Finds the faces of pixels, which are not copied.
  public func faces(
    in pixels: RawSpan, _ layout: PixelLayout, _ outputs: Outputs = [],
    options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> Faces {
    // The span is the caller's until this function returns.
    let image = pixels.withUnsafeBytes { bytes in Image.pixels(bytes, layout, owner: self) }
    return try await find(image, outputs, options, borrows: true)
  }

  /// Finds the faces of pixels, which are not copied.
  public func facesAndWait(
    in pixels: RawSpan, _ layout: PixelLayout, _ outputs: Outputs = [],
    options: DetectOptions = DetectOptions()
  ) throws(FaceError) -> Faces {
    try detect(pixels.withUnsafeBytes { .pixels($0, layout, owner: self) }, outputs, options, nil)
  }

  /// Finds the faces of several images, one after the other. An image that fails does not fail the others.
  public func faces(
    in images: [Image], _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> [Result<Faces, FaceError>] {
    try await threads.run { canceller throws(FaceError) in
      try images.map { image throws(FaceError) in
        let result = Result { () throws(FaceError) in try self.detect(image, outputs, options, canceller) }
        if case .failure(let error) = result, error.code == .cancelled { throw error }
        return result
      }
    }
  }

  private func find(
    _ image: Image, _ outputs: Outputs, _ options: DetectOptions, borrows: Bool
  ) async throws(FaceError) -> Faces {
    let detect = { @Sendable (canceller: Canceller) throws(FaceError) -> Faces in
      try self.detect(image, outputs, options, canceller)
    }
    // A picture file's library may take minutes, whatever the canceller says.
    if isLoaded && image.isDecoded { return try await threads.compute(detect) }
    return try await threads.run(borrows: borrows, detect)
  }

  private func detect(
    _ image: Image, _ outputs: Outputs, _ options: DetectOptions, _ canceller: Canceller?
  ) throws(FaceError) -> Faces {
    try image.withC { image throws(FaceError) in
      try options.withC { options throws(FaceError) in
        (options.outputs, options.canceller) = (outputs.rawValue, canceller?.c)
        var result: OpaquePointer?
        try check(face_detect(handle.c, image, &options, &result))
        return Faces(taking: result)
      }
    }
  }
}
