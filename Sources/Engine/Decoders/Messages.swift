import FaceCore
import Posix

/// A request to a process that forks decoders.
struct ForkRequest: BitwiseCopyable {
  enum Operation: UInt32 {
    /// Start a decoder; the response has its number, and the socket to talk with it.
    case fork = 1
    /// Kill a decoder. There is no response.
    case kill
    /// Start a copy of the process itself; the response has the socket to talk with it.
    case copy
    case answer
    /// Tell how a decoder has ended, which is killed if it has not.
    case end
  }

  private let rawOperation: UInt32
  /// The kind of pictures that a new decoder is for: a `PictureKind`.
  let kind: UInt32
  /// The decoder that is meant.
  let id: Int32

  init(operation: Operation, kind: PictureKind? = nil, id: Int32 = 0) {
    (rawOperation, self.id) = (operation.rawValue, id)
    self.kind = kind.map { UInt32($0.rawValue) } ?? 0
  }

  var operation: Operation? { Operation(rawValue: rawOperation) }
}

/// The response to a request. A failure has a text, the reason, and no socket.
struct ForkResponse: BitwiseCopyable {
  private let rawOperation: UInt32
  private let rawKind: UInt32
  /// The number of the decoder.
  let id: Int32
  private let hasEnd: UInt32
  private let rawEnd: ProcessEnd

  init(to operation: ForkRequest.Operation, kind: UInt32 = 0, id: Int32 = 0, end: ProcessEnd? = nil) {
    (rawOperation, rawKind, self.id) = (operation.rawValue, kind, id)
    (hasEnd, rawEnd) = (end == nil ? 0 : 1, end ?? ProcessEnd(status: 0))
  }

  /// How the decoder has ended; `nil` if that is unknown.
  var end: ProcessEnd? { hasEnd == 0 ? nil : rawEnd }

  var operation: ForkRequest.Operation? { ForkRequest.Operation(rawValue: rawOperation) }
  var kind: PictureKind? { PictureKind(rawValue: UInt8(truncatingIfNeeded: rawKind)) }
}

struct DecodeRequest: BitwiseCopyable {
  enum Operation: UInt32 {
    /// Read the header of the file in the memory for files.
    case open = 1
    /// Decode the file into the memory for pixels.
    case decode
    /// Write the profile of the file into the memory for pixels.
    case describe
  }

  private let rawOperation: UInt32
  private let eighths: UInt32
  private let keepsAlpha: UInt32
  private let keepsProfile: UInt32
  /// The bytes that are meant.
  let byteCount: Int
  /// The bytes of the memory, which comes with this unless it is that of the last request of the same kind. 0 without
  /// shared memory: the bytes of the file follow in messages of their own, and those of the pixels follow the response.
  var memorySize = 0

  init(operation: Operation, _ form: PixelForm = PixelForm(), byteCount: Int) {
    rawOperation = operation.rawValue
    eighths = UInt32(form.eighths)
    keepsAlpha = form.keepsAlpha ? 1 : 0
    keepsProfile = form.keepsProfile ? 1 : 0
    self.byteCount = byteCount
  }

  var operation: Operation? { Operation(rawValue: rawOperation) }
  var form: PixelForm {
    PixelForm(eighths: Int(eighths), keepsAlpha: keepsAlpha != 0, keepsProfile: keepsProfile != 0)
  }
}

/// The response to a request; its text is the message of a failure.
struct DecodeResponse: BitwiseCopyable {
  /// A `StatusCode`.
  var code: Int32
  /// The size of the picture, or of the decoded pixels.
  var width: Int32 = 0
  var height: Int32 = 0
  /// An `Orientation`; 0 for none.
  var orientation: UInt32 = 0
  var profileSize: Int32 = 0
  /// Pixels per metre; 0 if not known.
  var xPerMetre: Double = 0
  var yPerMetre: Double = 0
  /// The bytes that decoding takes beside the file and the pixels.
  var workBytes = 0

  init(code: Int32) { self.code = code }

  init(code: Int32, size: PixelSize, orientation: UInt8 = 0, workBytes: Int = 0) {
    self.code = code
    self.workBytes = workBytes
    (width, height) = (Int32(size.width), Int32(size.height))
    self.orientation = UInt32(orientation)
  }

  var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
