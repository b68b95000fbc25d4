internal import CFaceEngine

/// Finds faces: with models that are loaded into this process, or through an engine process. Any number of tasks and threads may
/// use an engine at once. The last reference frees it.
///
/// Calls with `await` leave threads for other tasks, and end within milliseconds when their task is cancelled. Their twins with
/// `AndWait` in the name are for programs without tasks, and run on the calling thread.
public final class FaceEngine: Sendable {
  /// A `face_engine`, whose functions may be called from any thread.
  final class Handle: @unchecked Sendable {
    let c: OpaquePointer?

    init(_ c: OpaquePointer?) { self.c = c }

    deinit { face_release(c) }
  }

  let handle: Handle
  let threads: CallThreads
  /// Whether the models run in this process.
  private let isLoaded: Bool

  private init(_ handle: Handle, _ threads: CallThreads, isLoaded: Bool) {
    (self.handle, self.threads, self.isLoaded) = (handle, threads, isLoaded)
  }

  deinit {
    threads.close()
  }

  /// The version of the library, as in "0.2.0".
  public static var version: String { String(cString: face_version_string()) }

  // MARK: Load and connect

  /// Loads models.
  /// - Parameter models: paths of folders or .onnx files, or names of installed models, such as "centerface". A call may choose
  ///   one by ``DetectOptions/model``, and uses the first one otherwise. Without any, the installed detector.
  public static func loadAndWait(_ models: String..., options: LoadOptions = LoadOptions()) throws(FaceError)
    -> FaceEngine
  {
    FaceEngine(try loaded(models, options), CallThreads(limit: CallThreads.processors), isLoaded: true)
  }

  /// Loads models.
  /// - Parameter models: paths of folders or .onnx files, or names of installed models, such as "centerface". A call may choose
  ///   one by ``DetectOptions/model``, and uses the first one otherwise. Without any, the installed detector.
  public static func load(
    _ models: String..., options: LoadOptions = LoadOptions()
  ) async throws(FaceError) -> FaceEngine {
    let threads = CallThreads(limit: CallThreads.processors)
    return FaceEngine(
      try await threads.run { _ throws(FaceError) in try loaded(models, options) }, threads, isLoaded: true)
  }

  /// Connects to a running engine (`face-engine serve`).
  /// - Parameter socket: the path of its Unix socket; nil for the user's, or else the system service's.
  public static func connectAndWait(
    to socket: String? = nil, options: ConnectOptions = ConnectOptions()
  ) throws(FaceError) -> FaceEngine {
    FaceEngine(try connected(socket, options, nil), CallThreads(limit: callsPerConnection), isLoaded: false)
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

  /// More calls of one engine wait in the library.
  private static let callsPerConnection = 16
  private static func loaded(_ models: [String], _ options: LoadOptions) throws(FaceError) -> Handle {
    let names = models.map { Array($0.utf8CString) }
    return try options.withC { options throws(FaceError) in
      var engine: OpaquePointer?
      // The names in one array each, at places that stay.
      let places = names.map { name in
        let place = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
        place.initialize(from: name, count: name.count)
        return place
      }
      defer { places.forEach { $0.deallocate() } }
      let pointers = places.isEmpty ? [nil] : places.map { Optional(UnsafePointer($0)) }
      try check(face_load_models(pointers, UInt32(pointers.count), &options, &engine))
      return Handle(engine)
    }
  }

  private static func connected(
    _ socket: String?, _ options: ConnectOptions, _ canceller: Canceller?
  ) throws(FaceError) -> Handle {
    try withCString(socket) { socket throws(FaceError) in
      try options.withC { options throws(FaceError) in
        var engine: OpaquePointer?
        options.canceller = canceller?.c
        try check(face_connect_with(socket, &options, &engine))
        return Handle(engine)
      }
    }
  }

  // MARK: Images

  /// Finds the faces of an image.
  /// - Parameter outputs: what to measure of each face.
  public func facesAndWait(
    in image: Image, _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) throws(FaceError) -> Faces {
    try detect(image, outputs, options, nil)
  }

  /// Finds the faces of an image.
  /// - Parameter outputs: what to measure of each face.
  public func faces(
    in image: Image, _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> Faces {
    let detect = { @Sendable (canceller: Canceller) throws(FaceError) -> Faces in
      try self.detect(image, outputs, options, canceller)
    }
    // A picture file's library may take minutes, whatever the canceller says.
    return isLoaded && image.isDecoded ? try await threads.compute(detect) : try await threads.run(detect)
  }

  /// Finds the faces of pixels, which are not copied.
  public func facesAndWait(
    in pixels: RawSpan, _ layout: PixelLayout, _ outputs: Outputs = [],
    options: DetectOptions = DetectOptions()
  ) throws(FaceError) -> Faces {
    try pixels.withUnsafeBytes { bytes throws(FaceError) in
      try detect(.pixels(bytes, layout, owner: self), outputs, options, nil)
    }
  }

  /// Finds the faces of pixels, which are not copied.
  public func faces(
    in pixels: RawSpan, _ layout: PixelLayout, _ outputs: Outputs = [],
    options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> Faces {
    // The span is the caller's until this function returns.
    let image = pixels.withUnsafeBytes { bytes in Image.pixels(bytes, layout, owner: self) }
    let detect = { @Sendable (canceller: Canceller) throws(FaceError) -> Faces in
      try self.detect(image, outputs, options, canceller)
    }
    return isLoaded ? try await threads.compute(detect) : try await threads.run(borrows: true, detect)
  }

  /// Finds the faces of several images, one after the other. An image that fails does not fail the others.
  public func faces(
    in images: [Image], _ outputs: Outputs = [], options: DetectOptions = DetectOptions()
  ) async throws(FaceError) -> [Result<Faces, FaceError>] {
    try await threads.run { canceller throws(FaceError) in
      var results: [Result<Faces, FaceError>] = []
      for image in images {
        let result = Result { () throws(FaceError) in try self.detect(image, outputs, options, canceller) }
        if case .failure(let error) = result, error.code == .cancelled { throw error }
        results.append(result)
      }
      return results
    }
  }

  private func detect(
    _ image: Image, _ outputs: Outputs, _ options: DetectOptions, _ canceller: Canceller?
  ) throws(FaceError) -> Faces {
    try image.withC { image throws(FaceError) in
      try options.withC { options throws(FaceError) in
        options.outputs = outputs.rawValue
        options.canceller = canceller?.c
        var result: OpaquePointer?
        try check(face_detect(handle.c, image, &options, &result))
        return Faces(taking: result)
      }
    }
  }
}
