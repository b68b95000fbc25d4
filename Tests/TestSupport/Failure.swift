public import FaceCore
public import Testing

/// The error that `body` throws; `nil` if it succeeds.
public func failure(of body: () throws(Status) -> Void) -> Status? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Expects that `body` throws a status with these words in its message.
/// - Returns: that status.
@discardableResult
public func expectFailure<Result: ~Copyable>(
  _ words: String..., comment: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation, of body: () throws -> Result
) -> Status? {
  failure(of: body, comment(), sourceLocation) { status in words.allSatisfy(status.message.contains) }
}

/// Expects that `body` throws a status with this code, and with these words in its message.
/// - Returns: that status.
@discardableResult
public func expectFailure<Result: ~Copyable>(
  _ code: StatusCode, _ words: String..., comment: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation, of body: () throws -> Result
) -> Status? {
  failure(of: body, comment(), sourceLocation) { status in
    status.code == code && words.allSatisfy(status.message.contains)
  }
}

private func failure<Result: ~Copyable>(
  of body: () throws -> Result, _ comment: String, _ sourceLocation: SourceLocation,
  isExpected: (Status) -> Bool
) -> Status? {
  do {
    _ = try body()
    Issue.record("nothing failed \(comment)", sourceLocation: sourceLocation)
  } catch let status as Status {
    let isExpected = isExpected(status)
    #expect(isExpected, "\(status) \(comment)", sourceLocation: sourceLocation)
    return status
  } catch {
    Issue.record(error, "\(comment)", sourceLocation: sourceLocation)
  }
  return nil
}
