/// What runs the networks of the detectors that an engine is given.
public enum NetworkRuntime: Equatable, Sendable {
  /// The engine's kernels; the plug-in ncnn where they cannot.
  case automatic
  /// The engine's kernels alone.
  case kernels
  /// A plug-in by name, with options of its own.
  case plugin(String, options: String)

  public static let automaticName = "automatic"
  private static let kernelsName = "kernels"
  private static let longestName = 64

  /// Reads a text as in "onnxruntime:CUDA"; an empty one is `automatic`. Throws `invalidArgument` for a name that
  /// no plug-in can have.
  public init(_ text: String) throws(Status) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let (name, options) = (parts[0], parts.count > 1 ? parts[1] : "")
    switch text {
    case "", NetworkRuntime.automaticName: self = .automatic
    case NetworkRuntime.kernelsName: self = .kernels
    default:
      guard 1...NetworkRuntime.longestName ~= name.utf8.count, name.utf8.allSatisfy({ $0.isInPluginName }),
        ![NetworkRuntime.automaticName, NetworkRuntime.kernelsName].contains(name)
      else {
        throw Status(
          .invalidArgument,
          "there is no engine \(text.quoted); use kernels, ncnn, onnxruntime, onnxruntime:PROVIDER or automatic"
        )
      }
      self = .plugin(name, options: options)
    }
  }
}

extension UInt8 {
  fileprivate var isInPluginName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
