public import FaceCore
public import Posix

/// Reads each frame of a video once, with the time that it has in the video. The program ffmpeg decodes it and turns it
/// upright as its metadata says.
public final class VideoFileSource: FrameSource, @unchecked Sendable {
  // Used by one thread at a time, as the protocol requires.
  private let name: String
  private let program: PipedProgram
  private let frames: NUTSource

  /// File name extensions in lower case; names may have them in any case.
  static let endings: Set<String> = [
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "flv", "ogv", "wmv", "3gp",
    "asf", "mxf", "vob", "nut", "dav", "mjpeg", "mjpg", "h264", "264", "h265", "hevc",
  ]

  /// Whether a file name has the extension of a video.
  static func isVideo(_ path: String) -> Bool {
    guard let dot = path.lastIndex(of: ".") else { return false }
    return endings.contains(path[path.index(after: dot)...].lowercased())
  }

  /// Reads a file. Throws like `InputStream.init` for one that cannot be read, and `failedPrecondition` if ffmpeg is
  /// not installed.
  /// - Parameters:
  ///   - format: ffmpeg's name of the file's format; `nil` if ffmpeg is to find it.
  ///   - makesSquare: whether frames whose pixels are no squares are scaled until they are.
  public convenience init(
    _ path: String, format: String? = nil, makesSquare: Bool = false, _ allocate: @escaping FrameAllocator
  ) throws(Status) {
    // Its error says why the file cannot be read.
    if !FileSystem.isReadable(path) { _ = try InputStream(path) }
    try self.init("file:\(path)", path, format, makesSquare, .nothing, allocate)
  }

  /// Reads the standard input, which is a file.
  public static func standardInput(
    format: String?, makesSquare: Bool = false, _ allocate: @escaping FrameAllocator
  ) throws(Status) -> VideoFileSource {
    // Many formats must be read in several places, which a file opened by ffmpeg allows.
    try VideoFileSource(
      "file:\(standardInputPath)", "standard input", format, makesSquare, .shared, allocate)
  }

  /// The path of the standard input, which a sandbox must allow to be read.
  public static let standardInputPath = "/dev/stdin"

  /// Reads the rest of a stream, which a thread passes on to ffmpeg.
  /// - Parameter name: the stream's name in errors.
  public convenience init(
    _ reader: ByteReader, _ name: String, format: String?, makesSquare: Bool = false,
    or interruption: Interruption, _ allocate: @escaping FrameAllocator
  ) throws(Status) {
    try self.init("pipe:0", name, format, makesSquare, .written, allocate)
    guard let input = program.takeInput() else { return }
    _ = try Thread(name: "face-input", blockingSignals: true) {
      withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
        while let count = try? reader.some(into: room, or: interruption), count > 0 {
          guard input.write(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
        }
      }
    }
  }

  /// Options with which ffmpeg neither repeats nor leaves out a frame, nor changes its time. Without the first it would
  /// close a gap of more than ten seconds in MPEG-TS.
  ///
  /// A second has so many ticks that a frame of each usual rate lasts a whole number: 24, 25, 30, 60, 30000/1001 …
  private static let ownTimes = (
    input: ["-dts_delta_threshold", "1000000"],
    output: ["-fps_mode", "passthrough", "-enc_time_base", "1/705600000"]
  )

  /// The number of frames whose time in the video was not after that of the frame before. Each follows that frame by a
  /// nanosecond.
  public var untimedCount: Int { frames.untimedCount }

  private init(
    _ input: String, _ name: String, _ format: String?, _ makesSquare: Bool,
    _ source: PipedProgram.Input, _ allocate: @escaping FrameAllocator
  ) throws(Status) {
    self.name = name
    let given = format.map { ["-f", $0] } ?? []
    do throws(Status) {
      // Playlists name other files; the whitelist keeps ffmpeg from opening network addresses.
      program = try PipedProgram(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file,pipe"]
          + VideoFileSource.ownTimes.input + given + ["-i", input, "-map", "0:v:0"]
          + ["-vf", makesSquare ? "scale=iw*sar:ih:out_range=tv,setsar=1" : "scale=out_range=tv"]
          + ["-pix_fmt", "yuv420p", "-c:v", "rawvideo"] + VideoFileSource.ownTimes.output
          + ["-flush_packets", "1", "-write_index", "0", "-f", "nut", "-"], reading: source)
    } catch  where error.code == .notFound {
      let file = source == .nothing ? name : "-"
      throw Status(
        .failedPrecondition,
        "decoding \(name) needs ffmpeg, which is not installed: install the Debian package ffmpeg, or on a machine that "
          + "has it run: ffmpeg -i \(file) -pix_fmt yuv420p -f yuv4mpegpipe - | face-engine watch -")
    }
    frames = NUTSource(ByteReader(program.output), allocate)
  }

  public func next(or interruption: Interruption) throws(Status) -> SourceItem {
    let item: SourceItem
    do throws(Status) {
      item = try frames.next(or: interruption)
    } catch {
      // If ffmpeg fails, its output ends early.
      throw failure ?? error
    }
    guard case .ended = item, interruption.pause(until: .now()), let failure else { return item }
    throw failure
  }

  /// The error if ffmpeg has failed. To be called at the end of its output.
  private var failure: Status? {
    guard let end = program.end() else { return nil }
    return switch end.cause {
    case .done: nil
    case .memory:
      Status(
        .resourceExhausted,
        "ffmpeg was killed while it decoded \(name) (\(end)), as the system does when memory is out; free some memory and try "
          + "again")
    // ffmpeg handles some signals, and then ends with 255.
    case .signalled, .processorTime,
      .failed where end.code == 255:
      Status(.unavailable, "ffmpeg was ended while it decoded \(name) (\(end)); try again")
    case .failed, .crashed:
      Status(.invalidArgument, "ffmpeg could not decode \(name); it says why on standard error")
    }
  }
}
