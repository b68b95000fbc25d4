public import FaceCore
import Foundation
public import ModelStore
public import Testing

/// The YuNet of Models/yunet with its fetched weights.
public enum RealModel {
  public static let folder = "\(Fixture.repository)/Models/yunet"

  /// Whether the weights are there; says so, once, on standard error when they are not.
  public static let isFetched: Bool = {
    let problem = failure(of: { () throws(Status) in _ = try ModelPackage(folder: folder) })
    // Anything but absence is a failure, which the tests are to show.
    guard let problem, problem.code == .notFound else { return true }
    FileHandle.standardError.write(
      Data("SKIPPED: every test that needs the real network, because \(problem.message)\n".utf8))
    return false
  }()

  public static func package() throws(Status) -> ModelPackage {
    try ModelPackage(folder: folder)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, where the weights of the real network were not fetched.
  public static var needsRealModel: Self {
    .enabled(if: RealModel.isFetched, "the weights of Models/yunet are not fetched")
  }
}
