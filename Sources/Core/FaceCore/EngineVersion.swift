/// The version of the engine, its library and its command: semantic versioning 2.0.
public enum EngineVersion {
  public static let text: StaticString = "0.3.0"
}
