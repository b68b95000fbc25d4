public import FaceCore
import Foundation
public import Inference
public import ModelStore
public import Testing

/// The plug-in libfaceengine-ncnn.so.1, as `make plug-ins` builds it.
public enum NcnnPlugin {
  /// Whether it is installed; if not, a message on standard error says so.
  public static let isInstalled: Bool = {
    guard let problem = failure(of: { () throws(Status) in _ = try NetworkPlugin.named(NetworkPlugin.ncnn) })
    else { return true }
    FileHandle.standardError.write(
      Data("SKIPPED: every test that needs the plug-in ncnn, because \(problem.message)\n".utf8))
    return false
  }()

  /// A network that it runs.
  public static func network(graph: [UInt8], weights: [UInt8]) throws(Status) -> PluginNetwork {
    try PluginNetwork(graph: graph, weights: weights, plugin: .named(NetworkPlugin.ncnn))
  }

  public static func network(_ package: ModelPackage) throws(Status) -> PluginNetwork {
    try network(graph: package.graph, weights: package.weights)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, with a message, if the plug-in ncnn is not installed.
  public static var needsNcnn: Self {
    .enabled(if: NcnnPlugin.isInstalled, "the plug-in ncnn is not installed: make plug-ins")
  }
}
