public import FaceCore
import Foundation
public import ModelStore
public import Testing

/// The YuNet model of Models/yunet with its fetched weights.
public enum RealModel {
  public static let folder = "\(Fixture.repository)/Models/yunet"

  /// Whether the weights of YuNet were fetched.
  public static let isFetched = areFetched(["yunet"])

  /// Whether the weights of Models/facemesh and Models/blendshapes were fetched.
  public static let isAnalysisFetched = areFetched(["facemesh", "blendshapes"])

  public static func package(_ name: String = "yunet") throws(Status) -> ModelPackage {
    try ModelPackage(folder: "\(Fixture.repository)/Models/\(name)")
  }

  /// The package with its fetched weights; `nil`, with a message on standard error, if they were not fetched.
  public static func fetched(_ name: String) throws(Status) -> ModelPackage? {
    areFetched([name]) ? try package(name) : nil
  }

  /// Whether they were fetched; if not, a message on standard error says so.
  private static func areFetched(_ names: [String]) -> Bool {
    for name in names {
      let problem = failure { () throws(Status) in _ = try package(name) }
      // Any error but absence is a failure that the tests should show.
      guard let problem, problem.code == .notFound else { continue }
      FileHandle.standardError.write(
        Data("SKIPPED: every test that needs the real \(name), because \(problem.message)\n".utf8))
      return false
    }
    return true
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, with a message, if the weights of the real network were not fetched.
  public static var needsRealModel: Self {
    .enabled(if: RealModel.isFetched, "the weights of Models/yunet are not fetched")
  }

  /// Skips the test in the same way for the networks of the faces' points.
  public static var needsAnalysisModels: Self {
    .enabled(
      if: RealModel.isAnalysisFetched, "the weights of Models/facemesh or Models/blendshapes are not fetched")
  }
}
