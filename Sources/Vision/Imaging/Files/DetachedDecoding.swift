import CPictureDecoders
import FaceCore

/// Decodes with libraries that cannot be interrupted: on a thread of its own, which a call that ends early
/// leaves behind.
enum DetachedDecoding {
  /// Runs `decode`, in place if there is no token.
  /// - Parameters:
  ///   - name: the name of the file's kind, for messages.
  ///   - decode: receives the file, or a copy of it.
  static func run(
    _ file: UnsafeRawBufferPointer, _ name: String, _ token: CancellationToken?,
    _ decode: @escaping (UnsafeRawBufferPointer) throws(Status) -> Bitmap
  ) throws(Status) -> Bitmap {
    guard let token else { return try decode(file) }
    let job = Job(try HeapMemory.copy(of: file, token), decode)
    let check = CancellationCheck(token)
    let work = picture_work(
      run: { context in
        guard let context else { return }
        Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run()
      },
      release: { context in
        guard let context else { return }
        Unmanaged<Job>.fromOpaque(context).release()
      }, context: Unmanaged.passRetained(job).toOpaque())
    let status = picture_run_detached(picture_caller(check), work, Int32(ImageLimits.maxAbandonedDecodings))
    withExtendedLifetime(check) {}
    if status == PICTURE_STOPPED { throw check.failure ?? .stoppedByItself }
    defer { Unmanaged<Job>.passUnretained(job).release() }
    guard status == PICTURE_DONE else { throw .noMemory(toDecode: name) }
    return try job.takeBitmap()
  }

  /// The state of a detached decoding; it belongs to the other thread until that has ended.
  private final class Job {
    private let file: HeapMemory
    private let decode: (UnsafeRawBufferPointer) throws(Status) -> Bitmap
    private var bitmap: Bitmap?
    private var failure: Status?

    init(_ file: consuming HeapMemory, _ decode: @escaping (UnsafeRawBufferPointer) throws(Status) -> Bitmap) {
      self.file = file
      self.decode = decode
    }

    func run() {
      do throws(Status) {
        bitmap = try decode(UnsafeRawBufferPointer(file.bytes))
      } catch {
        failure = error
      }
    }

    func takeBitmap() throws(Status) -> Bitmap {
      if let bitmap = bitmap.take() { return bitmap }
      throw failure ?? Status(.internal, "a decoder gave no pixels; please report this image")
    }
  }
}

/// Decodings whose calls have ended, and which cannot be interrupted.
public enum AbandonedDecodings {
  /// The number of them that still run, at most `ImageLimits.maxAbandonedDecodings`.
  public static var count: Int { Int(picture_abandoned_count()) }
}
