public import FaceCore
import Foundation
public import ModelStore
public import Testing

/// The YuNet of Models/yunet with its fetched weights.
public enum RealModel {
  public static let folder = "\(Fixture.repository)/Models/yunet"

  /// Whether its weights are there.
  public static let isFetched = areFetched(["yunet"])

  /// Whether those of Models/facemesh and Models/blendshapes are.
  public static let isAnalysisFetched = areFetched(["facemesh", "blendshapes"])

  public static func package() throws(Status) -> ModelPackage {
    try ModelPackage(folder: folder)
  }

  /// Says so, on standard error, when they are not there.
  private static func areFetched(_ names: [String]) -> Bool {
    for name in names {
      let problem = failure { () throws(Status) in
        _ = try ModelPackage(folder: "\(Fixture.repository)/Models/\(name)")
      }
      // Anything but absence is a failure, which the tests are to show.
      guard let problem, problem.code == .notFound else { continue }
      FileHandle.standardError.write(
        Data("SKIPPED: every test that needs the real \(name), because \(problem.message)\n".utf8))
      return false
    }
    return true
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, where the weights of the real network were not fetched.
  public static var needsRealModel: Self {
    .enabled(if: RealModel.isFetched, "the weights of Models/yunet are not fetched")
  }

  /// The same for the networks of faces' points.
  public static var needsAnalysisModels: Self {
    .enabled(
      if: RealModel.isAnalysisFetched, "the weights of Models/facemesh or Models/blendshapes are not fetched")
  }
}
