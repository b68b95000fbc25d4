public import FaceCore

/// What `body` throws; `nil` when it succeeds.
public func failure(of body: () throws(Status) -> Void) -> Status? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}
