public import ModelStore

extension Engine {
  /// The files and folders that an engine with these models reads, now and later: the models, others next to
  /// them that are loaded on demand, the catalogue, and the cache. Some may be missing.
  public static func modelPaths(_ folders: [String], catalog: ModelCatalog?) -> [String] {
    let siblings = AnalysisModels.packages + [HighAccuracy.helperName]
    return folders + folders.flatMap { folder in siblings.map { "\(folder)/../\($0)" } }
      + [catalog?.path, ModelCache.folder].compactMap { $0 }
  }
}
