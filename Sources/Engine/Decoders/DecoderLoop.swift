import FaceCore
import Imaging
import Posix

/// The life of a decoder: reads files and fills memory with their pixels, both in memory of its parent, for
/// the calls of one user.
enum DecoderLoop {
  /// A decoder without a request for this time ends.
  private static let idleTime: Int64 = 5_000_000_000

  /// Serves requests until the other end of the channel is closed.
  static func run(_ channel: PacketChannel) -> Never {
    var file: ParentMemory?
    while true {
      let now = MonotonicTime.now()
      guard
        case .value(let request, _)? = try? channel.receive(
          DecodeRequest.self, until: now.advanced(byNanoseconds: idleTime))
      else { CurrentProcess.exitAtOnce(0) }
      var response = DecodeResponse(code: StatusCode.ok.rawValue)
      var message = ""
      do throws(Status) {
        guard let memory = channel.takeDescriptor() else {
          throw Status(.internal, "no memory came with the request; please report this")
        }
        switch request.operation {
        case .open:
          file = nil
          let fresh = try ParentMemory(mapping: memory, size: request.byteCount, forWriting: false)
          response = try describe(UnsafeRawBufferPointer(fresh.bytes))
          file = consume fresh
        case .decode:
          let target = try ParentMemory(mapping: memory, size: request.byteCount, forWriting: true)
          guard let bytes = file?.bytes else {
            throw Status(.internal, "pixels were asked for before a file; please report this")
          }
          response = try decode(UnsafeRawBufferPointer(bytes), request.form, into: target.bytes)
        case nil: throw Status(.internal, "the request is unknown; please report this")
        }
      } catch {
        response.code = error.code.rawValue
        message = error.message
      }
      guard (try? channel.send(response, text: message)) == true else { CurrentProcess.exitAtOnce(0) }
    }
  }

  private static func describe(_ file: UnsafeRawBufferPointer) throws(Status) -> DecodeResponse {
    let header = try ImageDecoder.header(of: file)
    return DecodeResponse(
      code: StatusCode.ok.rawValue, width: Int32(header.size.width), height: Int32(header.size.height),
      orientation: UInt32(header.orientation?.rawValue ?? 0))
  }

  private static func decode(
    _ file: UnsafeRawBufferPointer, _ form: PixelForm, into target: UnsafeMutableRawBufferPointer
  ) throws(Status) -> DecodeResponse {
    let bitmap = try ImageDecoder.decode(file, form)
    guard bitmap.pixels.count == target.count else {
      throw Status(
        .invalidArgument,
        "the file has \(bitmap.size.width)×\(bitmap.size.height) pixels, and its header says another size; send the "
          + "whole file again")
    }
    target.copyMemory(from: UnsafeRawBufferPointer(bitmap.pixels))
    return DecodeResponse(
      code: StatusCode.ok.rawValue, width: Int32(bitmap.size.width), height: Int32(bitmap.size.height))
  }
}
