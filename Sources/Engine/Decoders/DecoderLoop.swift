import FaceCore
import Imaging
import Posix

/// The life of a decoder: reads files and fills memory with their pixels, both in memory of the engine, for the
/// calls of one user.
struct DecoderLoop {
  /// A decoder without a request for this time ends, if its pool has not ended it before.
  private static let idleTime: TimeSpan = .seconds(5)

  /// The most bytes of a file, or of the pixels of a picture.
  private static let mostBytes = 1 << 30

  /// The memory for files; its first bytes are the file.
  private var files: (any PixelMemory)?
  private var fileSize = 0
  private var pixels: (any PixelMemory)?

  /// Serves requests until the other end of the channel is closed.
  static func run(_ channel: PacketChannel) -> Never {
    var loop = DecoderLoop()
    while true {
      let deadline = MonotonicTime.now() + idleTime
      guard case .value(let request, _)? = try? channel.receive(DecodeRequest.self, until: deadline) else {
        CurrentProcess.exitAtOnce(0)
      }
      var response = DecodeResponse(code: StatusCode.ok.rawValue)
      var message = ""
      do throws(Status) {
        response = try loop.response(to: request, channel)
      } catch {
        response.code = error.code.rawValue
        message = error.message
      }
      guard (try? channel.send(response, text: message)) == true, loop.sendPixels(request, response, channel)
      else { CurrentProcess.exitAtOnce(0) }
    }
  }

  private mutating func response(
    to request: DecodeRequest, _ channel: PacketChannel
  ) throws(Status) -> DecodeResponse {
    let memory: (any PixelMemory)?
    if request.memorySize == 0, 1...Self.mostBytes ~= request.byteCount {
      memory = try OwnMemory(byteCount: request.byteCount)
      let bytes = memory?.bytes ?? .init(start: nil, count: 0)
      if request.operation == .open {
        guard try channel.receive(into: bytes, {}) else { CurrentProcess.exitAtOnce(0) }
      }
    } else if let descriptor = channel.takeDescriptor() {
      memory = try ParentMemory(mapping: descriptor, size: request.memorySize)
    } else {
      memory = request.operation == .open ? files : pixels
    }
    guard let memory, 1...memory.bytes.count ~= request.byteCount else {
      throw Status(.internal, "the request has no shared memory; please report this")
    }
    switch request.operation {
    case .open:
      (files, fileSize) = (memory, request.byteCount)
      let header = try ImageDecoder.header(of: file)
      return DecodeResponse(
        code: StatusCode.ok.rawValue, size: header.size, orientation: header.orientation?.rawValue ?? 0,
        workBytes: header.workBytes)
    case .decode:
      pixels = memory
      return DecodeResponse(
        code: StatusCode.ok.rawValue, size: try ImageDecoder.decode(file, request.form, into: memory))
    case .describe:
      pixels = memory
      let metadata = try ImageDecoder.metadata(of: file)
      guard metadata.profile.count <= request.byteCount else {
        throw Status(.internal, "the memory for a profile is too small; please report this")
      }
      memory.bytes.copyBytes(from: metadata.profile)
      var response = DecodeResponse(code: StatusCode.ok.rawValue)
      response.profileSize = Int32(metadata.profile.count)
      response.xPerMetre = metadata.resolution?.x ?? 0
      response.yPerMetre = metadata.resolution?.y ?? 0
      return response
    case nil: throw Status(.internal, "the request is unknown; please report this")
    }
  }

  /// Sends the pixels of a request without shared memory.
  /// - Returns: whether the other process is there.
  private func sendPixels(_ request: DecodeRequest, _ response: DecodeResponse, _ channel: PacketChannel)
    -> Bool
  {
    guard request.operation != .open, request.memorySize == 0, response.code == StatusCode.ok.rawValue,
      let pixels
    else { return true }
    return (try? channel.send(UnsafeRawBufferPointer(pixels.bytes)) {}) == true
  }

  private var file: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: UnsafeRawBufferPointer(files?.bytes ?? .init(start: nil, count: 0)).prefix(fileSize))
  }
}

/// Memory of the decoder itself.
private final class OwnMemory: PixelMemory {
  private let memory: HeapMemory
  var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
}
