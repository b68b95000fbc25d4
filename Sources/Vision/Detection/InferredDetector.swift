public import FaceCore
public import Inference

/// A detector described by its graph alone, without a `model.json`: its family follows from the channels and
/// strides of the maps in which the graph ends, colours and normalisation from the training of such networks.
public struct InferredDetector: Sendable {
  public let family: any KnownFamily
  public private(set) var input: InputSpecification

  /// The family's name, as in model.json.
  public var familyName: String { type(of: family).name }
  /// One line for people.
  public var title: String { "\(type(of: family).title), inferred from its graph" }

  /// Throws `failedPrecondition` for a text that is not a whole graph, whose layers do not fit, or that
  /// belongs to no known family.
  /// - Parameters:
  ///   - graph: ncnn's text form (a `.param` file).
  ///   - normalisation: that of values of 0…255, if the network's file contains it.
  public init(graph: [UInt8], normalisation: InputNormalisation? = nil) throws(Status) {
    let layers = try NcnnGraph.layers(graph)
    try GraphShapes.check(layers)
    try self.init(GraphHeads(layers), normalisation: normalisation)
  }

  /// Describes a detector whose network runs already, by the maps that it gives for an empty image of `size`. Throws
  /// errors of running it, and `failedPrecondition` for maps of no known family.
  public init(
    running network: any Network, on size: PixelSize, input: String, outputs: [MapName],
    normalisation: InputNormalisation? = nil
  ) throws(Status) {
    try self.init(
      GraphHeads(running: network, on: size, input: input, outputs: outputs), normalisation: normalisation)
  }

  /// Notes that the network takes images of `size` alone.
  public mutating func limit(to size: PixelSize) { input.maxSide = min(size.width, size.height) }

  /// An output of a network.
  public struct MapName: Sendable {
    public let blob: String
    /// Whether the network applies a sigmoid to it.
    public let isProbability: Bool

    public init(blob: String, isProbability: Bool) {
      self.blob = blob
      self.isProbability = isProbability
    }
  }

  /// Throws `failedPrecondition` for maps of no known family.
  private init(_ ends: GraphHeads, normalisation: InputNormalisation?) throws(Status) {
    let heads = Dictionary(grouping: ends.heads, by: \.stride).sorted { $0.key < $1.key }.map(\.value)
    guard let family = knownFamilies.lazy.compactMap({ $0.recognise(heads) as (any KnownFamily)? }).first
    else {
      let found = ends.heads.map { "\($0.channels) at stride \($0.stride)" }.joined(separator: ", ")
      let known = knownFamilies.map { $0.title }.joined(separator: ", ")
      throw Status(
        .failedPrecondition,
        "no known family of face detectors (\(known)) has outputs like this network's (channels): \(found); "
          + "give another network, or a model.json")
    }
    self.family = family
    input = type(of: family).trainedInput
    input.blob = ends.input
    if let normalisation {
      input.mean = normalisation.mean
      input.scale = normalisation.scale
    }
  }
}
