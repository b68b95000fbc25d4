public import CFaceEngine
public import FaceCore
import Posix

extension ImageInput {
  /// Reads a caller's image, borrowing its pixels. Throws `invalidArgument` or `outOfRange`, naming the
  /// member.
  /// - Parameter memory: the bytes of `value.memory`; `nil` if that is NULL.
  public init(_ value: face_image, in memory: UnsafeRawBufferPointer?) throws(Status) {
    let planes = CallerPlanes(value, in: memory)
    let source: Source
    if value.format == face_format(FACE_FORMAT_ENCODED) {
      source = .encoded(try planes.bytes(0, limit: ImageInput.maxFileBytes))
    } else {
      let format: PixelFormat = try known(
        value.format, "image->format", "; use one of FACE_FORMAT_...")
      let colour: YUVColour = try known(value.colour, "image->colour", "; use one of FACE_COLOUR_...")
      source = .pixels(
        try ImageView(
          format: format, width: Int(value.width), height: Int(value.height), colour: colour
        ) { (index) throws(Status) in try planes.plane(index) })
    }
    self.init(source, orientation: try ImageInput.orientation(value.orientation))
    isMirrored = try flag(value.mirrored, "image->mirrored")
    region = try ImageInput.region(value.region)
    self.memory = MemoryBudget.ofProcess.account(of: CurrentProcess.user)
    pixelAspect = try ImageInput.pixelAspect(value.pixel_aspect, "image->pixel_aspect")
    guard value.reserved == 0, value.reserved_2 == 0 else {
      throw Status(
        .invalidArgument,
        "image->reserved is \(value.reserved) and reserved_2 \(value.reserved_2); call face_image_init before use"
      )
    }
  }

  private static let maxFileBytes = 1 << 30

  private static func orientation(_ value: face_orientation) throws(Status) -> Orientation? {
    if value == face_orientation(FACE_ORIENTATION_DEFAULT) { return nil }
    return try known(value, "image->orientation", "; give 0 for the default, or 1 to 8 as EXIF does")
  }

  private static func region(_ value: face_box) throws(Status) -> Box? {
    let box = Box(value)
    if box == Box(x: 0, y: 0, width: 0, height: 0) { return nil }
    guard box.x.isFinite, box.y.isFinite, box.width.isFinite, box.height.isFinite, box.width > 0,
      box.height > 0
    else {
      throw Status(
        .invalidArgument,
        "image->region has a side of 0 or less, or a number that is not finite; give all zeros for the whole image"
      )
    }
    return box
  }
}

/// Finds the planes of a `face_image`: at its pointers, or at offsets into its shared memory.
struct CallerPlanes {
  private let value: face_image
  private let memory: UnsafeRawBufferPointer?

  init(_ value: face_image, in memory: UnsafeRawBufferPointer?) {
    self.value = value
    self.memory = memory
  }

  /// - Parameter index: below 3.
  func plane(_ index: Int) throws(Status) -> ImageView.Plane {
    // C's size_t is imported as a signed Int.
    let stride = CallerPlanes.element(value.strides, index)
    guard stride >= 0 else {
      throw Status(
        .invalidArgument, "image->strides[\(index)] is too large; give the number of bytes from row to row"
      )
    }
    return ImageView.Plane(try bytes(index), stride: stride)
  }

  func bytes(_ index: Int, limit: Int = .max) throws(Status) -> UnsafeRawBufferPointer {
    let size = CallerPlanes.element(value.plane_sizes, index)
    let pointer = CallerPlanes.element(value.planes, index)
    guard size >= 0, size <= limit else {
      throw Status(
        .invalidArgument,
        "image->plane_sizes[\(index)] is too large; give the number of bytes at planes[\(index)]"
      )
    }
    if let memory {
      return try bytes(index, pointer, size, limit: limit, in: memory)
    }
    guard let pointer, size != 0 else {
      throw Status(
        .invalidArgument,
        "image->planes[\(index)] is NULL or plane_sizes[\(index)] is 0; give the pixels and their number of bytes"
      )
    }
    guard UInt(bitPattern: pointer) <= UInt.max - UInt(size) else {
      throw Status(
        .invalidArgument,
        "image->plane_sizes[\(index)] reaches beyond the end of the address space; give the number of bytes at planes[\(index)]"
      )
    }
    return UnsafeRawBufferPointer(start: pointer, count: size)
  }

  private func bytes(
    _ index: Int, _ pointer: UnsafeRawPointer?, _ size: Int, limit: Int, in all: UnsafeRawBufferPointer
  ) throws(Status) -> UnsafeRawBufferPointer {
    guard pointer == nil else {
      throw Status(
        .invalidArgument,
        "image->planes[\(index)] and image->memory are both set; set only one, and with memory use offsets")
    }
    let offset = CallerPlanes.element(value.offsets, index)
    guard offset >= 0, offset < all.count, size <= all.count - offset else {
      throw Status(
        .invalidArgument,
        "plane \(index) reaches beyond the image's memory of \(all.count) bytes; check offsets[\(index)] and "
          + "plane_sizes[\(index)]")
    }
    return UnsafeRawBufferPointer(
      rebasing: all[offset..<offset + (size == 0 ? min(limit, all.count - offset) : size)])
  }

  private static func element<Value>(_ all: (Value, Value, Value, Value), _ index: Int) -> Value {
    switch index {
    case 0: all.0
    case 1: all.1
    case 2: all.2
    default: all.3
    }
  }
}
