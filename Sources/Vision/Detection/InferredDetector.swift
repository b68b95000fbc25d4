public import FaceCore
public import Inference

/// A detector described by its graph alone, without a `model.json`: its family follows from the channels and
/// strides of the maps in which the graph ends, colours and normalisation from the training of such networks.
public struct InferredDetector: Sendable {
  /// The family, as in model.json.
  public let familyName: String
  /// One line for people.
  public let title: String
  public let family: any DetectorFamily
  public private(set) var input: InputSpecification

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
    let levels = Dictionary(grouping: ends.heads, by: \.stride).sorted { $0.key < $1.key }.map(\.value)
    guard
      var detector = InferredDetector.centerFace(levels, ends.input)
        ?? InferredDetector.yunet(levels, ends.input) ?? InferredDetector.scrfd(levels, ends.input)
        ?? InferredDetector.yolo(levels, ends.input) ?? InferredDetector.retinaFace(levels, ends.input)
    else {
      let found = ends.heads.map { "\($0.channels) at stride \($0.stride)" }.joined(separator: ", ")
      throw Status(
        .failedPrecondition,
        "the network ends in maps of these channels: \(found); no known family of face detectors (CenterFace, "
          + "RetinaFace, SCRFD, YOLOv5-face, YuNet) does; give another network, or a model.json")
    }
    if let normalisation {
      detector.input.mean = normalisation.mean
      detector.input.scale = normalisation.scale
    }
    self = detector
  }

  private init(
    _ familyName: String, _ title: String, _ family: any DetectorFamily, _ input: String,
    _ colour: InputSpecification.ColourOrder, mean: Float, scale: Float
  ) {
    self.familyName = familyName
    self.title = "\(title), inferred from its graph"
    self.family = family
    self.input = InputSpecification(
      blob: input, colour: colour, mean: Array(repeating: mean, count: 3),
      scale: Array(repeating: scale, count: 3))
  }

  /// Detects CenterFace: one stride; heat map, scale, offset, points, in this order.
  private static func centerFace(_ levels: [[GraphHead]], _ input: String) -> InferredDetector? {
    guard levels.count == 1, levels[0].map(\.channels) == [1, 2, 2, 10], levels[0][0].isProbability else {
      return nil
    }
    let blobs = levels[0].map(\.blob)
    let family = CenterFace(
      stride: levels[0][0].stride, heatmap: blobs[0], scale: blobs[1], offset: blobs[2], points: blobs[3],
      inputMultiple: 32)
    return InferredDetector("centerface", "CenterFace", family, input, .rgb, mean: 0, scale: 1)
  }

  /// Detects YuNet: classification, objectness, box and points at every stride. The order of the first two
  /// makes no difference: the confidence is their geometric mean.
  private static func yunet(_ levels: [[GraphHead]], _ input: String) -> InferredDetector? {
    let levels = levels.map { heads in heads.sorted { $0.channels < $1.channels } }
    guard let coarsest = levels.last?.first?.stride,
      levels.allSatisfy({ $0.map(\.channels) == [1, 1, 4, 10] && $0[0].isProbability && $0[1].isProbability })
    else { return nil }
    let family = YuNet(
      levels: levels.map {
        YuNet.Level(
          stride: $0[0].stride, classification: $0[0].blob, objectness: $0[1].blob, box: $0[2].blob,
          points: $0[3].blob)
      }, inputMultiple: coarsest)
    return InferredDetector("yunet", "YuNet", family, input, .bgr, mean: 0, scale: 1)
  }

  /// Detects SCRFD: for each anchor one score, four distances and, if there are points, ten more values, at
  /// every stride.
  private static func scrfd(_ levels: [[GraphHead]], _ input: String) -> InferredDetector? {
    guard let first = levels.first, let coarsest = levels.last?.first?.stride, levels.count >= 3,
      let anchors = first.map(\.channels).min(), anchors <= 8
    else { return nil }
    let hasPoints = first.count == 3
    let wanted = [anchors, anchors * 4] + (hasPoints ? [anchors * 10] : [])
    var named: [SCRFD.Level] = []
    var isProbability: Set<Bool> = []
    for heads in levels {
      // The channel counts all differ, so the order in the graph does not matter.
      let heads = heads.sorted { $0.channels < $1.channels }
      guard heads.map(\.channels) == wanted else { return nil }
      isProbability.insert(heads[0].isProbability)
      named.append(
        SCRFD.Level(
          stride: heads[0].stride, scores: heads[0].blob, boxes: heads[1].blob,
          points: hasPoints ? heads[2].blob : nil))
    }
    guard isProbability.count == 1 else { return nil }
    let family = SCRFD(
      levels: named, anchors: anchors, scoreForm: isProbability == [true] ? .probability : .logit,
      inputMultiple: coarsest)
    return InferredDetector("scrfd", "SCRFD", family, input, .rgb, mean: 127.5, scale: 1 / 128)
  }

  /// Detects YOLOv5-face: one head of three anchors at each of the strides whose anchors were published.
  private static func yolo(_ levels: [[GraphHead]], _ input: String) -> InferredDetector? {
    guard levels.map({ $0[0].stride }) == YOLOv5Face.publishedAnchors.keys.sorted() else { return nil }
    var named: [YOLOv5Face.Level] = []
    for heads in levels {
      guard let anchors = YOLOv5Face.publishedAnchors[heads[0].stride], heads.count == 1,
        heads[0].channels == anchors.count * YOLOv5Face.channelsPerAnchor, !heads[0].isProbability
      else { return nil }
      named.append(YOLOv5Face.Level(stride: heads[0].stride, map: heads[0].blob, anchors: anchors))
    }
    let family = YOLOv5Face(levels: named, inputMultiple: named.map(\.stride).max() ?? 32)
    return InferredDetector("yolov5-face", "YOLOv5-face", family, input, .rgb, mean: 0, scale: 1 / 255)
  }
}

extension InferredDetector {
  /// Detects RetinaFace: for each of two anchors two scores, an offset with two logarithms, and ten more
  /// values, at each of the strides whose anchors were published.
  private static func retinaFace(_ levels: [[GraphHead]], _ input: String) -> InferredDetector? {
    guard levels.map({ $0[0].stride }) == RetinaFace.publishedAnchors.keys.sorted() else { return nil }
    var named: [RetinaFace.Level] = []
    for heads in levels {
      let heads = heads.sorted { $0.channels < $1.channels }
      guard let anchors = RetinaFace.publishedAnchors[heads[0].stride],
        heads.map(\.channels) == [2, 4, 10].map({ $0 * anchors.count }), !heads[0].isProbability
      else { return nil }
      named.append(
        RetinaFace.Level(
          stride: heads[0].stride, anchors: anchors, scores: heads[0].blob, boxes: heads[1].blob,
          points: heads[2].blob))
    }
    let family = RetinaFace(levels: named, inputMultiple: named.map(\.stride).max() ?? 32)
    var detector = InferredDetector("retinaface", "RetinaFace", family, input, .bgr, mean: 0, scale: 1)
    detector.input.mean = [104, 117, 123]
    return detector
  }
}
