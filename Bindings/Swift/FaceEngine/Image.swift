package import CFaceEngine

extension Image {
  enum Source: Sendable {
    case file(String)
    case bytes(Pixels, PixelLayout?)
    case shared(SharedMemory, PixelLayout, offset: Int)
  }

  /// Whether it has pixels, and no file that has to be decoded.
  var isDecoded: Bool {
    switch source {
    case .file, .bytes(_, nil): false
    case .bytes, .shared: true
    }
  }

  /// A picture file: JPEG, PNG or WebP; HEIC, AVIF, TIFF, BMP and GIF where the library for them is installed. It is
  /// read by the call that the image is given to.
  public static func file(_ path: String) -> Image { Image(.file(path)) }

  /// The bytes of a picture file.
  public static func encoded(_ bytes: [UInt8]) -> Image { Image(.bytes(Pixels(bytes), nil)) }

  /// Pixels in an array, which is not copied.
  public static func pixels(_ bytes: [UInt8], _ layout: PixelLayout) -> Image {
    Image(.bytes(Pixels(bytes), layout))
  }

  /// Pixels in another object's memory, which is not copied.
  /// - Parameters:
  ///   - bytes: unchanged and in place for as long as `owner` exists.
  ///   - owner: released when the pixels are no longer needed, on any thread. Its `deinit` must not call this library.
  public static func pixels(
    _ bytes: UnsafeRawBufferPointer, _ layout: PixelLayout, owner: any AnyObject & Sendable
  ) -> Image {
    Image(.bytes(Pixels(bytes, owner: owner), layout))
  }

  /// Pixels in memory that an engine process can read without a copy. They must not change until the call or the frame
  /// ends.
  /// - Parameter offset: of the first plane, in bytes.
  public static func shared(_ memory: SharedMemory, _ layout: PixelLayout, offset: Int = 0) -> Image {
    Image(.shared(memory, layout, offset: offset))
  }

  /// Lends the image to a call of C.
  /// - Parameter keeps: whether the library keeps the pixels after the call, and says when it no longer needs them.
  package func withC<Result>(
    keeps: Bool = false, _ body: (UnsafePointer<face_image>) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {
    var c = face_image()
    face_image_init(&c)
    try write(to: &c)
    switch source {
    case .file(let path):
      try withCString(path) { path throws(FaceError) in try check(face_image_from_file(path, &c)) }
      defer { face_image_release(&c) }
      return try body(&c)
    case .bytes(let pixels, let layout):
      try (layout ?? .encoded).write(to: &c, base: pixels.bytes.baseAddress, count: pixels.bytes.count)
      if keeps {
        c.release_data = Unmanaged.passRetained(Kept(pixels)).toOpaque()
        c.release = { kept in
          if let kept { Unmanaged<Kept>.fromOpaque(kept).release() }
        }
      }
      return try withExtendedLifetime(pixels) { () throws(FaceError) -> Result in try body(&c) }
    case .shared(let memory, let layout, let offset):
      guard offset >= 0, offset <= memory.byteCount else {
        throw FaceError(
          .invalidArgument, "the offset \(offset) is outside the memory of \(memory.byteCount) bytes")
      }
      try layout.write(to: &c, base: nil, count: memory.byteCount - offset, offset: offset)
      c.memory = memory.c
      return try withExtendedLifetime(memory) { () throws(FaceError) -> Result in try body(&c) }
    }
  }

  /// What the library keeps of one submission: two of the same pixels must differ.
  private final class Kept {
    let pixels: Pixels

    init(_ pixels: Pixels) { self.pixels = pixels }
  }
}

/// Bytes that stay in place, and what owns them.
final class Pixels: @unchecked Sendable {
  // Both are only read.
  private let owner: Any
  let bytes: UnsafeRawBufferPointer

  /// An array that nobody else can change or move: it is copied when its other users write to it.
  init(_ array: [UInt8]) {
    owner = array
    bytes = array.withUnsafeBytes { $0 }
  }

  init(_ bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable) {
    self.owner = owner
    self.bytes = bytes
  }
}

/// How pixels lie in memory.
public struct PixelLayout: Sendable, Hashable {
  /// What the bytes are.
  public var format: PixelFormat
  /// Pixels of a row, as stored: 16 to 16384.
  public var width: Int
  /// Rows, as stored: 16 to 16384.
  public var height: Int
  /// Bytes from one row to the next, of each plane; those not given have no padding.
  public var rowBytes: [Int]
  /// Bytes from the start to each plane; those not given follow the plane before.
  public var planeOffsets: [Int]

  /// Rows and planes without gaps, unless others are given.
  public init(_ format: PixelFormat, width: Int, height: Int, rowBytes: [Int] = [], planeOffsets: [Int] = []) {
    self.format = format
    self.width = width
    self.height = height
    self.rowBytes = rowBytes
    self.planeOffsets = planeOffsets
  }

  static let encoded = PixelLayout(.encoded, width: 0, height: 0)

  /// Bytes of an image without gaps between planes.
  public var byteCount: Int { planes.reduce(0) { $0 + $1.rowBytes * $1.rows } }

  private var planes: [(rowBytes: Int, rows: Int)] {
    let halfWidth = width / 2 + width % 2
    let halfHeight = height / 2 + height % 2
    let packed =
      switch format {
      case .encoded: [(0, 0)]
      case .rgba, .bgra: [(4 * width, height)]
      case .rgb, .bgr: [(3 * width, height)]
      case .gray: [(width, height)]
      case .nv12, .nv21: [(width, height), (2 * halfWidth, halfHeight)]
      case .i420: [(width, height), (halfWidth, halfHeight), (halfWidth, halfHeight)]
      case .yuyv, .uyvy: [(4 * halfWidth, height)]
      case .nv16: [(width, height), (2 * halfWidth, height)]
      }
    return packed.enumerated().map { ($0 < rowBytes.count ? rowBytes[$0] : $1.0, $1.1) }
  }

  /// - Parameter base: nil for shared memory, whose planes have offsets.
  func write(to c: inout face_image, base: UnsafeRawPointer?, count: Int, offset: Int = 0) throws(FaceError) {
    guard 0...16384 ~= width, 0...16384 ~= height, rowBytes.allSatisfy({ 0...131072 ~= $0 }) else {
      throw FaceError(
        .outOfRange,
        "the image is \(width) × \(height), with rows of \(rowBytes) bytes; use 16 to 16384 pixels")
    }
    var starts: [Int] = []
    var next = 0
    for (place, plane) in planes.enumerated() {
      let start = place < planeOffsets.count ? planeOffsets[place] : next
      guard 0...count ~= start else {
        throw FaceError(
          .invalidArgument, "plane \(place) of the image begins \(start) bytes after the start of \(count)")
      }
      starts.append(start)
      next = start + plane.rowBytes * plane.rows
    }
    c.format = format.rawValue
    c.width = UInt32(width)
    c.height = UInt32(height)
    try store(starts.map { count - $0 }, in: &c.plane_sizes, "planes")
    try store(format == .encoded ? [0] : planes.map(\.rowBytes), in: &c.strides, "planes")
    if let base {
      try store(starts.map { Optional(base + $0) }, in: &c.planes, "planes")
    } else {
      try store(starts.map { offset + $0 }, in: &c.offsets, "planes")
    }
  }
}

/// Memory that this process shares with the engine that it is connected to.
public final class SharedMemory: @unchecked Sendable {
  // The bytes are the caller's to write.
  private let handle: Handle
  private let bytes: UnsafeMutableRawBufferPointer
  var c: OpaquePointer { handle.c }

  /// Creates memory of zeros: 1 GiB at most.
  public convenience init(byteCount: Int) throws(FaceError) {
    let size: Int = try number(byteCount, "byteCount")
    try self.init { memory throws(FaceError) in try check(face_memory_create(size, &memory)) }
  }

  /// Imports a memfd that has the seals F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. It stays the caller's.
  public convenience init(importing descriptor: Int32) throws(FaceError) {
    try self.init { memory throws(FaceError) in try check(face_memory_import(descriptor, &memory)) }
  }

  private init(_ create: (inout OpaquePointer?) throws(FaceError) -> Void) throws(FaceError) {
    handle = try Handle(face_memory_destroy, create)
    var data: UnsafeMutableRawPointer?
    var count = 0
    try check(face_memory_map(handle.c, &data, &count))
    bytes = UnsafeMutableRawBufferPointer(start: data, count: count)
  }

  /// The size.
  public var byteCount: Int { bytes.count }

  /// Writes or reads the memory. No call may use an image of it meanwhile.
  public func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes)
  }
}
