/// Lets a library in C ask between its steps whether a call may continue, and keeps the reason if it may not.
public final class CancellationCheck {
  private let token: CancellationToken
  /// The reason why the library was told to stop.
  public private(set) var failure: Status?

  public init(_ token: CancellationToken) { self.token = token }

  /// What the library passes to `mayContinue`; valid while this lives.
  public var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Asks the token of the check that `context` names.
  public static func mayContinue(_ context: UnsafeMutableRawPointer?) -> Bool {
    guard let context else { return true }
    let check = Unmanaged<CancellationCheck>.fromOpaque(context).takeUnretainedValue()
    do throws(Status) {
      try check.token.check()
      return true
    } catch {
      check.failure = error
      return false
    }
  }
}
