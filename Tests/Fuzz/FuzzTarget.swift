/// A pure function of arbitrary bytes from a peer or a file. It traps when a property of the result does not
/// hold.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// The frame parser: see `FrameFuzz`.
  case frames
  /// The envelopes of calls: see `EnvelopeFuzz`.
  case envelopes
  /// The payloads of calls: see `MessageFuzz`.
  case messages
  /// Networks in ONNX files: see `ONNXFuzz`.
  case onnx
  /// Picture files of every kind, with their EXIF: see `PictureFuzz`.
  case pictures
  /// Graphs and weights of bare networks: see `NetworkFuzz`.
  case networks
  /// Descriptions of model packages: see `ManifestFuzz`.
  case manifests
  /// Streams of raw frames: see `Y4MFuzz`.
  case y4m

  public func run(_ input: Span<UInt8>) {
    switch self {
    case .frames: FrameFuzz.run(input)
    case .envelopes: EnvelopeFuzz.run(input)
    case .messages: MessageFuzz.run(input)
    case .onnx: ONNXFuzz.run(input)
    case .pictures: PictureFuzz.run(input)
    case .networks: NetworkFuzz.run(input)
    case .manifests: ManifestFuzz.run(input)
    case .y4m: Y4MFuzz.run(input)
    }
  }
}
