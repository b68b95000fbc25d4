import ModelStore
import Testing

@Suite struct ModelCacheTests {
  private func folder(_ environment: [String: String]) -> String? {
    ModelCache.folder(environment: { environment[$0] })
  }

  @Test func theNearestVariableWins() {
    var environment = ["FACE_ENGINE_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"]
    #expect(folder(environment) == "/a/models")
    environment["FACE_ENGINE_CACHE"] = nil
    #expect(folder(environment) == "/b/face-engine/models")
    environment["XDG_CACHE_HOME"] = nil
    #expect(folder(environment) == "/c/.cache/face-engine/models")
    environment["HOME"] = nil
    #expect(folder(environment) == nil)
  }
}
