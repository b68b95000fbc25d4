public import ArgumentParser
import FaceCore

extension ValidationError {
  /// Runs a check of options, and reports its failure as wrong usage.
  public static func reporting(_ check: () throws -> Void) throws {
    do {
      try check()
    } catch let status as Status {
      throw ValidationError("\(status.message).")
    }
  }
}
