public import FaceCore
import Inference
public import ModelStore

extension Engine {
  /// Opens the plug-ins that are installed. To be called by a process before it enters a sandbox in which it can
  /// load no libraries; without this a plug-in is opened with the first network that needs it.
  public static func openPlugins() {
    // A network that needs it says why it cannot be used.
    _ = try? NetworkPlugin.named(NetworkPlugin.ncnn)
  }

  /// Opens the plug-in that `runtime` names, if it names one. Throws `failedPrecondition` if it is missing or cannot be
  /// used. To be called like `openPlugins`.
  public static func openPlugin(of runtime: NetworkRuntime) throws(Status) {
    if case .plugin(let name, _) = runtime { _ = try NetworkPlugin.named(name) }
  }

  /// The folders from which plug-ins are loaded, beside those of the system's libraries.
  public static var pluginFolders: [String] { NetworkPlugin.folders }

  /// The files and folders that an engine with these models reads, now and later: the models, others next to
  /// them that are loaded on demand, the catalogue, and the cache. Some may be missing.
  public static func modelPaths(_ folders: [String], catalog: ModelCatalog?) -> [String] {
    let siblings = AnalysisModels.packages + [HighAccuracy.helperName]
    return folders
      + folders.flatMap { folder in siblings.compactMap { ModelFolder(path: folder).siblingPath($0) } }
      + [catalog?.path, ModelCache.folder].compactMap { $0 }
  }
}
