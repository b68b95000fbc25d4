import CFaceEngine
import Client
import FaceCore
import Posix

/// Calls an image's `release` function when this object ends, since the library no longer needs the pixels.
final class PixelOwner: @unchecked Sendable {
  // The host promised that its function may be called on any thread.
  private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  private let releaseData: UnsafeMutableRawPointer?
  /// The shared memory that contains the pixels.
  var memory: ClientMemory?

  /// What makes two submissions the same: pixels that one call of `release` would free for both.
  private struct Claim: Equatable {
    let release, releaseData, plane, memory, offset: UInt
    /// A child of fork() has no frames of its parent's sessions.
    let process = CurrentProcess.id

    init(_ image: face_image) {
      release = unsafeBitCast(image.release, to: UInt.self)
      releaseData = UInt(bitPattern: image.release_data)
      plane = UInt(bitPattern: image.planes.0)
      memory = UInt(bitPattern: image.memory)
      offset = UInt(bitPattern: image.offsets.0)
    }
  }

  private let claim: Claim
  /// The claims whose `release` is still to be called: a few for each session.
  private static let claims = Monitor<[Claim]>([])

  /// Takes the pixels. Throws `failedPrecondition` if an earlier submission has not released them yet.
  static func taking(_ image: face_image) throws(Status) -> PixelOwner {
    let claim = Claim(image)
    let isTaken =
      image.release != nil
      && claims.withLock { claims in
        if claims.contains(claim) { return true }
        claims.append(claim)
        return false
      }
    // Before there is an owner, which would release the pixels of the earlier submission.
    guard !isTaken else {
      throw Status(
        .failedPrecondition,
        "this image is still in use by an earlier submission; submit it again after its release was called"
      )
    }
    return PixelOwner(image, claim)
  }

  private init(_ image: face_image, _ claim: Claim) {
    release = image.release
    releaseData = image.release_data
    self.claim = claim
  }

  deinit {
    guard let release else { return }
    // First: the function may hand the pixels to a thread that submits them again.
    PixelOwner.claims.withLock { claims in
      if let index = claims.firstIndex(of: claim) { claims.remove(at: index) }
    }
    release(releaseData)
  }

  /// Locks the claims. Only for fork handlers.
  static func lock() { claims.lock() }
  static func unlock() { claims.unlock() }
}
