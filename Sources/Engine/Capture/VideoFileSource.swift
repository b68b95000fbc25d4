public import FaceCore
public import Posix

/// Reads the frames of a video file, decoded by the program ffmpeg and turned upright as the file's metadata
/// says.
public final class VideoFileSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let path: String
  private let program: PipedProgram
  private let frames: Y4MSource

  /// File name extensions in lower case; names may have them in any case.
  private static let endings: Set<String> = [
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "flv", "ogv", "wmv", "3gp",
    "gif",
  ]

  /// Whether a file name has the extension of a video.
  public static func isVideo(_ path: String) -> Bool {
    guard let dot = path.lastIndex(of: ".") else { return false }
    return endings.contains(path[path.index(after: dot)...].lowercased())
  }

  /// Throws like `InputStream.init` for a file that cannot be read, and `failedPrecondition` if ffmpeg is not
  /// installed.
  public init(_ path: String, _ allocate: @escaping FrameAllocator) throws(Status) {
    // Its error says why the file cannot be read.
    if !FileSystem.isReadable(path) { _ = try InputStream(path) }
    self.path = path
    do throws(Status) {
      program = try PipedProgram(
        [
          "ffmpeg", "-nostdin", "-loglevel", "error", "-i", "file:\(path)", "-map", "0:v:0", "-pix_fmt",
          "yuv420p",
          "-f", "yuv4mpegpipe", "-",
        ])
    } catch  where error.code == .notFound {
      throw Status(
        .failedPrecondition,
        "\(path) is decoded by ffmpeg, which is not installed: install the Debian package ffmpeg, or where it is "
          + "run: ffmpeg -i \(path) -pix_fmt yuv420p -f yuv4mpegpipe - | face-engine watch -")
    }
    frames = Y4MSource(ByteReader(program.output), allocate)
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    let item: SourceItem
    do throws(Status) {
      item = try frames.next(or: interruption)
    } catch {
      // If ffmpeg fails, its output ends early.
      throw program.hasFailed() ? undecodable : error
    }
    guard case .ended = item, interruption.pause(until: .now()), program.hasFailed() else { return item }
    throw undecodable
  }

  private var undecodable: Status {
    Status(.invalidArgument, "ffmpeg could not decode \(path); it says why on standard error")
  }
}
