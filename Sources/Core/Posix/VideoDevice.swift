import CPosixShims
package import FaceCore
import Glibc

/// A camera through Video4Linux, by memory-mapped buffers. Source: "Video for Linux API", Streaming I/O
/// (Memory Mapping).
///
/// One thread sets it up and takes buffers; any thread may queue one. Buffers stay mapped as long as this
/// object lives.
package final class VideoDevice: @unchecked Sendable {
  // Written by the thread that sets the device up, before others can see it.
  package private(set) var buffers: [UnsafeRawBufferPointer] = []
  private let descriptor: Descriptor

  /// Opens the device. open(2)
  package init(_ path: String) throws(SystemError) {
    descriptor = Descriptor(
      owning: try system("open") { face_posix_open(path.cPath, O_RDWR | O_NONBLOCK, 0) })
  }

  deinit {
    for buffer in buffers { munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count) }
  }

  /// Returns what the device is. VIDIOC_QUERYCAP
  package func capability() throws(SystemError) -> VideoCapability {
    var found = face_posix_video_capability()
    _ = try system("VIDIOC_QUERYCAP") { face_posix_video_capability(descriptor.raw, &found) }
    let name = withUnsafeBytes(of: found.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return VideoCapability(name: name, isCamera: found.captures != 0 && found.streams != 0)
  }

  /// Returns the pixel formats of the device. VIDIOC_ENUM_FMT
  package func formats() throws(SystemError) -> [FourCC] {
    try VideoDevice.list("VIDIOC_ENUM_FMT") { index in
      var code: UInt32 = 0
      return (face_posix_video_pixel_format(descriptor.raw, index, &code), FourCC(value: code))
    }
  }

  /// Returns the picture sizes; empty if the driver does not report them. VIDIOC_ENUM_FRAMESIZES
  package func sizes(of format: FourCC) throws(SystemError) -> [VideoSizes] {
    try VideoDevice.list("VIDIOC_ENUM_FRAMESIZES") { index in
      var sizes = face_posix_video_sizes()
      return (face_posix_video_sizes(descriptor.raw, format.value, index, &sizes), sizes)
    }.compactMap { (sizes: face_posix_video_sizes) in
      guard sizes.least_width <= sizes.largest_width, sizes.least_height <= sizes.largest_height else {
        return nil
      }
      return VideoSizes(
        widths: Int(sizes.least_width)...Int(sizes.largest_width),
        heights: Int(sizes.least_height)...Int(sizes.largest_height), widthStep: Int(sizes.width_step),
        heightStep: Int(sizes.height_step))
    }
  }

  /// Returns the frame rates, in frames a second; empty if the driver does not report them.
  /// VIDIOC_ENUM_FRAMEINTERVALS
  package func rates(of format: FourCC, _ size: PixelSize) throws(SystemError) -> [Double] {
    let intervals = try VideoDevice.list("VIDIOC_ENUM_FRAMEINTERVALS") { index in
      var (numerator, denominator): (UInt32, UInt32) = (0, 0)
      let result = face_posix_video_interval(
        descriptor.raw, format.value, UInt32(clamping: size.width), UInt32(clamping: size.height), index,
        &numerator, &denominator)
      return (result, (numerator, denominator))
    }
    return intervals.filter { $0.0 > 0 }.map { Double($0.1) / Double($0.0) }
  }

  /// Returns the elements that the driver lists by index.
  private static func list<Element>(
    _ name: StaticString, _ element: (UInt32) -> (Int32, Element)
  ) throws(SystemError) -> [Element] {
    var elements: [Element] = []
    // The bound stops a driver that never ends its list.
    for index in 0..<UInt32(256) {
      do throws(SystemError) {
        var found: Element?
        _ = try system(name) {
          let (result, value) = element(index)
          found = value
          return result
        }
        if let found { elements.append(found) }
      } catch {
        guard error.code == EINVAL || error.code == ENOTTY else { throw error }
        break
      }
    }
    return elements
  }

  /// Sets the format.
  /// - Returns: the format that the driver chose, which may differ. VIDIOC_S_FMT
  package func setFormat(_ code: FourCC, _ size: PixelSize) throws(SystemError) -> VideoFormat {
    var format = face_posix_video_format()
    format.fourcc = code.value
    format.width = UInt32(clamping: size.width)
    format.height = UInt32(clamping: size.height)
    _ = try system("VIDIOC_S_FMT") { face_posix_video_set_format(descriptor.raw, &format) }
    let isFull = format.is_full_range != 0
    return VideoFormat(
      code: FourCC(value: format.fourcc),
      size: PixelSize(width: Int(format.width), height: Int(format.height)), stride: Int(format.stride),
      colour: format.is_bt709 != 0 ? (isFull ? .bt709Full : .bt709Video) : (isFull ? .bt601Full : .bt601Video)
    )
  }

  /// Sets the frame rate.
  /// - Returns: the frames a second that the driver chose; `nil` if it does not control them. VIDIOC_S_PARM
  package func setRate(_ framesPerSecond: Int) throws(SystemError) -> Double? {
    var numerator: UInt32 = 1
    var denominator = UInt32(clamping: framesPerSecond)
    do throws(SystemError) {
      _ = try system("VIDIOC_S_PARM") {
        face_posix_video_set_interval(descriptor.raw, &numerator, &denominator)
      }
    } catch {
      guard error.code == ENOTTY || error.code == EINVAL else { throw error }
      return nil
    }
    return numerator > 0 ? Double(denominator) / Double(numerator) : nil
  }

  /// Maps about `count` buffers, queues all and starts streaming. VIDIOC_REQBUFS, VIDIOC_QUERYBUF, mmap(2),
  /// VIDIOC_STREAMON
  package func start(buffers count: Int) throws(SystemError) {
    var granted = UInt32(clamping: count)
    _ = try system("VIDIOC_REQBUFS") { face_posix_video_request_buffers(descriptor.raw, &granted) }
    for index in 0..<granted {
      var offset: Int64 = 0
      var length: UInt64 = 0
      _ = try system("VIDIOC_QUERYBUF") {
        face_posix_video_buffer_place(descriptor.raw, index, &offset, &length)
      }
      // Writable as well, because some drivers allow no other mapping.
      let start = mmap(
        nil, Int(length), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.raw, Int(offset))
      guard let start, start != MAP_FAILED else { throw SystemError(call: "mmap", code: errno) }
      buffers.append(UnsafeRawBufferPointer(start: start, count: Int(length)))
      try queue(Int(index))
    }
    _ = try system("VIDIOC_STREAMON") { face_posix_video_start(descriptor.raw) }
  }

  /// Stops streaming; buffers that were returned stay mapped. VIDIOC_STREAMOFF
  package func stop() {
    _ = face_posix_video_stop(descriptor.raw)
  }

  /// Waits for a filled buffer. poll(2)
  package func wait(
    or interruption: Interruption, until deadline: MonotonicTime
  ) throws(SystemError) -> Interruption.Waited {
    try interruption.wait(toRead: descriptor.raw, until: deadline)
  }

  /// Takes a filled buffer. Throws an error with `isTryAgain` when there is none. VIDIOC_DQBUF
  package func dequeue() throws(SystemError) -> VideoBuffer {
    var buffer = face_posix_video_buffer()
    _ = try system("VIDIOC_DQBUF") { face_posix_video_dequeue(descriptor.raw, &buffer) }
    return VideoBuffer(
      index: Int(buffer.index), bytesUsed: Int(buffer.used),
      timestamp: buffer.timestamp > 0 ? buffer.timestamp : nil, isBroken: buffer.is_broken != 0)
  }

  /// Returns a buffer to the driver to be filled again. VIDIOC_QBUF
  package func queue(_ index: Int) throws(SystemError) {
    _ = try system("VIDIOC_QBUF") { face_posix_video_queue(descriptor.raw, UInt32(clamping: index)) }
  }
}

/// The description of a video device. VIDIOC_QUERYCAP
package struct VideoCapability: Equatable, Sendable {
  package var name: String
  /// Whether it delivers pictures in one piece, by memory-mapped buffers.
  package var isCamera: Bool

  package init(name: String, isCamera: Bool) {
    self.name = name
    self.isCamera = isCamera
  }
}

/// A range of picture sizes that a device supports; a single size if both ends are the same.
package struct VideoSizes: Equatable, Sendable {
  package var widths: ClosedRange<Int>
  package var heights: ClosedRange<Int>
  package var widthStep: Int
  package var heightStep: Int

  package init(widths: ClosedRange<Int>, heights: ClosedRange<Int>, widthStep: Int, heightStep: Int) {
    self.widths = widths
    self.heights = heights
    self.widthStep = widthStep
    self.heightStep = heightStep
  }

  package init(_ size: PixelSize) {
    self.init(
      widths: size.width...size.width, heights: size.height...size.height, widthStep: 1, heightStep: 1)
  }

  /// Returns the supported size nearest to `size`, not larger if possible.
  package func nearest(to size: PixelSize) -> PixelSize {
    PixelSize(
      width: VideoSizes.nearest(size.width, widths, widthStep),
      height: VideoSizes.nearest(size.height, heights, heightStep))
  }

  private static func nearest(_ side: Int, _ range: ClosedRange<Int>, _ step: Int) -> Int {
    let bounded = min(max(side, range.lowerBound), range.upperBound)
    return bounded - (bounded - range.lowerBound) % max(1, step)
  }
}

/// The format that a device chose. VIDIOC_S_FMT
package struct VideoFormat: Equatable, Sendable {
  package var code: FourCC
  package var size: PixelSize
  /// Bytes from row to row; without meaning for compressed formats.
  package var stride: Int
  package var colour: YUVColour

  package init(code: FourCC, size: PixelSize, stride: Int, colour: YUVColour) {
    self.code = code
    self.size = size
    self.stride = stride
    self.colour = colour
  }
}

/// A buffer that the driver has filled. VIDIOC_DQBUF
package struct VideoBuffer: Equatable, Sendable {
  package var index: Int
  package var bytesUsed: Int
  /// Nanoseconds of the monotonic clock; `nil` where the driver uses another clock.
  package var timestamp: Int64?
  /// Whether the driver reports that the data may be wrong.
  package var isBroken: Bool

  package init(index: Int, bytesUsed: Int, timestamp: Int64?, isBroken: Bool = false) {
    self.index = index
    self.bytesUsed = bytesUsed
    self.timestamp = timestamp
    self.isBroken = isBroken
  }
}

/// The four-character code of a pixel format in Video4Linux.
package struct FourCC: Equatable, Hashable, Sendable, CustomStringConvertible {
  package let value: UInt32

  package init(value: UInt32) {
    self.value = value
  }

  /// The first letter is the lowest byte. v4l2_fourcc
  package init(_ letters: StaticString) {
    value = letters.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  package var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
  }
}
