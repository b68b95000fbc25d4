public import FaceCore

/// The error that `body` throws; `nil` if it succeeds.
public func failure(of body: () throws(Status) -> Void) -> Status? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}
