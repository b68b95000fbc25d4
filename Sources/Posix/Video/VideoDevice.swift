import CPosixShims
package import FaceCore
import Glibc

/// A camera through Video4Linux, by memory-mapped buffers. Source: "Video for Linux API", Streaming I/O (Memory Mapping).
///
/// One thread sets it up and takes buffers; any thread may queue one. Buffers stay mapped as long as this object lives.
package final class VideoDevice: @unchecked Sendable {
  // Written by the thread that sets the device up, before others get to see it.
  package private(set) var buffers: [UnsafeRawBufferPointer] = []
  private let descriptor: Descriptor

  /// open(2)
  package init(_ path: String) throws(SystemError) {
    descriptor = Descriptor(
      owning: try system("open") { face_posix_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0) })
  }

  deinit {
    for buffer in buffers { munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count) }
  }

  /// VIDIOC_QUERYCAP
  package func capability() throws(SystemError) -> VideoCapability {
    var found = face_posix_video_capability()
    _ = try system("VIDIOC_QUERYCAP") { face_posix_video_capability(descriptor.raw, &found) }
    let name = withUnsafeBytes(of: found.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return VideoCapability(name: name, isCamera: found.captures != 0 && found.streams != 0)
  }

  /// VIDIOC_ENUM_FMT
  package func formats() throws(SystemError) -> [FourCC] {
    try VideoDevice.list("VIDIOC_ENUM_FMT") { index in
      var code: UInt32 = 0
      return (face_posix_video_pixel_format(descriptor.raw, index, &code), FourCC(value: code))
    }
  }

  /// None where the driver does not tell. VIDIOC_ENUM_FRAMESIZES
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

  /// Frames a second; none where the driver does not tell. VIDIOC_ENUM_FRAMEINTERVALS
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

  /// The elements that the driver gives by index, up to where it says that there are no more.
  private static func list<Element>(
    _ name: StaticString, _ element: (UInt32) -> (Int32, Element)
  ) throws(SystemError) -> [Element] {
    var elements: [Element] = []
    // A driver that never ends its list is stopped.
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

  /// - Returns: what the driver grants, which may be something else. VIDIOC_S_FMT
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

  /// - Returns: frames a second that the driver grants; `nil` where it has no say in them. VIDIOC_S_PARM
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

  /// Maps buffers, about `count` of them, queues all and begins. VIDIOC_REQBUFS, VIDIOC_QUERYBUF, mmap(2), VIDIOC_STREAMON
  package func start(buffers count: Int) throws(SystemError) {
    var granted = UInt32(clamping: count)
    _ = try system("VIDIOC_REQBUFS") { face_posix_video_request_buffers(descriptor.raw, &granted) }
    for index in 0..<granted {
      var offset: Int64 = 0
      var length: UInt64 = 0
      _ = try system("VIDIOC_QUERYBUF") {
        face_posix_video_buffer_place(descriptor.raw, index, &offset, &length)
      }
      // Written to as well: some drivers map in no other way.
      let start = mmap(
        nil, Int(length), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.raw, Int(offset))
      guard let start, start != MAP_FAILED else { throw SystemError(call: "mmap", code: errno) }
      buffers.append(UnsafeRawBufferPointer(start: start, count: Int(length)))
      try queue(Int(index))
    }
    _ = try system("VIDIOC_STREAMON") { face_posix_video_start(descriptor.raw) }
  }

  /// Ends what `start` began; buffers handed out stay mapped. VIDIOC_STREAMOFF
  package func stop() {
    _ = face_posix_video_stop(descriptor.raw)
  }

  /// Waits for a filled buffer. poll(2)
  package func wait(
    or interruption: Interruption, until deadline: MonotonicTime
  ) throws(SystemError) -> Interruption.Waited {
    try interruption.wait(toRead: descriptor.raw, until: deadline)
  }

  /// Takes a filled buffer. Throws what `isTryAgain` is true for when there is none. VIDIOC_DQBUF
  package func dequeue() throws(SystemError) -> VideoBuffer {
    var buffer = face_posix_video_buffer()
    _ = try system("VIDIOC_DQBUF") { face_posix_video_dequeue(descriptor.raw, &buffer) }
    return VideoBuffer(
      index: Int(buffer.index), bytesUsed: Int(buffer.used),
      timestamp: buffer.timestamp > 0 ? buffer.timestamp : nil, isBroken: buffer.is_broken != 0)
  }

  /// Gives a buffer back to be filled again. VIDIOC_QBUF
  package func queue(_ index: Int) throws(SystemError) {
    _ = try system("VIDIOC_QBUF") { face_posix_video_queue(descriptor.raw, UInt32(clamping: index)) }
  }
}
