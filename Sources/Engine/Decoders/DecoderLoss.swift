import FaceCore
import Posix

/// What the end of a decoder in the middle of a file means for the file's call.
struct DecoderLoss {
  /// Whether another decoder may read the file: it is not the file that ended this one.
  let isPassing: Bool
  /// The error if none may, or if the next one ends as well.
  let status: Status

  /// - Parameter end: `nil` if it is unknown.
  init(_ end: ProcessEnd?, _ kind: PictureKind) {
    let how = end.map { " (\($0))" } ?? ""
    switch end?.cause {
    case .crashed:
      isPassing = false
      status = Status(
        .invalidArgument,
        "the decoder crashed while it read the \(kind.name)\(how): the file is damaged; save it again, or convert it"
      )
    case .processorTime:
      isPassing = false
      status = Status(
        .resourceExhausted,
        "the \(kind.name) takes more processor time than a decoder may use; send a smaller one")
    case .memory:
      isPassing = true
      status = Status(
        .resourceExhausted,
        "two decoders of the \(kind.name) were killed\(how), as the system does when memory is out; free some memory and try "
          + "again, or send a smaller one")
    case .done, .failed, .signalled, nil:
      isPassing = true
      status = Status(
        .unavailable, "two decoders ended\(how) before they had read the \(kind.name); try again later")
    }
  }
}
