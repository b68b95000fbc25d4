public import FaceCore
public import Inference

import func Glibc.expf
import func Glibc.logf

/// Decodes the outputs of a network into faces, without state: the same maps give the same faces.
public protocol DetectorFamily: Sendable {
  /// Names of the output blobs, in the order `decode` takes them.
  var outputs: [String] { get }
  /// The divisor of both sides of the input.
  var inputMultiple: Int { get }
  /// How the family draws its boxes; `nil` if nobody measured it.
  var boxes: DetectedBoxes? { get }

  /// Returns all faces of at least `minConfidence`, in pixels of the network's input, in no particular order,
  /// including overlapping ones. Throws `failedPrecondition` when the maps do not belong to this family.
  func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face]
}

extension DetectorFamily {
  public var boxes: DetectedBoxes? { nil }
}

/// A family of published networks: how `model.json` and a bare graph describe one, and how to decode its maps.
public protocol KnownFamily: DetectorFamily {
  /// The name in `model.json`.
  static var name: String { get }
  /// The name for people.
  static var title: String { get }
  /// The kinds of maps in `model.json`, one blob per stride each, in the order of `MapLevel.blobs`.
  static var kinds: [String] { get }
  /// The kinds that a network may lack.
  static var optionalKinds: Set<String> { get }
  /// The colours and the normalisation with which these networks are trained; without a blob.
  static var trainedInput: InputSpecification { get }

  /// Recognises a network by its heads, those of each stride in the order of the graph, finest stride first;
  /// `nil` if it is of another family.
  static func recognise(_ heads: [[GraphHead]]) -> Self?

  /// Throws `failedPrecondition` for strides that this family does not have.
  init(_ levels: [MapLevel], inputMultiple: Int) throws(Status)

  var levels: [MapLevel] { get }
  func channels(of level: MapLevel) -> [Int]
  /// Appends the faces of one stride. The maps have these channels and the same cells.
  func decode(_ maps: LevelMaps, minConfidence: Float, into faces: inout [Face])
}

/// All families of detectors, by name.
package let knownFamilies: [any KnownFamily.Type] = [
  CenterFace.self, RetinaFace.self, SCRFD.self, YOLOv5Face.self, YuNet.self,
]

/// Makes the decoder of a network as its `model.json` describes it. Throws `failedPrecondition` for an unknown
/// family or for maps that are not those of the family.
public func detectorFamily(
  named name: String, outputs: [String: [String]], strides: [Int], inputMultiple: Int
) throws(Status) -> any DetectorFamily {
  guard let family = knownFamilies.first(where: { $0.name == name }) else {
    let known = knownFamilies.map { $0.name }.joined(separator: ", ")
    throw Status(
      .failedPrecondition, "model.json names the family \"\(name)\"; this version knows: \(known)")
  }
  return try family.init(outputs: outputs, strides: strides, inputMultiple: inputMultiple)
}

/// The output blobs of one stride.
public struct MapLevel: Equatable, Sendable {
  public let stride: Int
  public let blobs: [String]
}

extension KnownFamily {
  public static var optionalKinds: Set<String> { [] }

  /// Makes the family from the maps that a `model.json` names. Throws `failedPrecondition` if one is missing.
  /// - Parameter outputs: blobs by kind, one per stride.
  package init(outputs: [String: [String]], strides: [Int], inputMultiple: Int) throws(Status) {
    for kind in Self.kinds where outputs[kind] == nil && !Self.optionalKinds.contains(kind) {
      throw Status(
        .failedPrecondition,
        "outputs in model.json has no \"\(kind)\", which the family \(Self.name) needs; see Models/README.md")
    }
    assert(outputs.values.allSatisfy { $0.count == strides.count }, "ModelManifest checks this")
    try self.init(
      strides.enumerated().map { index, stride in
        MapLevel(stride: stride, blobs: Self.kinds.compactMap { outputs[$0]?[index] })
      }, inputMultiple: inputMultiple)
  }

  /// Throws `failedPrecondition` unless there are anchors for each stride.
  static func checkStrides<Anchor>(
    of levels: [MapLevel], haveAnchors anchors: [Int: [Anchor]]
  ) throws(Status) {
    guard let level = levels.first(where: { anchors[$0.stride] == nil }) else { return }
    let known = anchors.keys.sorted().map { "\($0)" }.joined(separator: ", ")
    throw Status(
      .failedPrecondition,
      "strides in model.json has \(level.stride); the anchors of \(title) are for \(known)")
  }

  public var outputs: [String] { levels.flatMap(\.blobs) }

  public func decode(_ maps: [TensorView], minConfidence: Float) throws(Status) -> [Face] {
    guard maps.count == levels.reduce(0, { $0 + $1.blobs.count }) else {
      throw Status(.internal, "\(Self.title) was given \(maps.count) maps instead of \(outputs.count)")
    }
    var faces: [Face] = []
    faces.reserveCapacity(64)
    var rest = maps[...]
    for level in levels {
      let maps = LevelMaps(rest.prefix(level.blobs.count), stride: Float(level.stride))
      rest = rest.dropFirst(level.blobs.count)
      try maps.check(channels: channels(of: level), family: Self.title)
      decode(maps, minConfidence: minConfidence, into: &faces)
    }
    return faces
  }
}

/// The output maps of one stride, which have the same cells.
public struct LevelMaps {
  private let maps: ArraySlice<TensorView>
  let stride: Float

  fileprivate init(_ maps: ArraySlice<TensorView>, stride: Float) {
    precondition(!maps.isEmpty)
    (self.maps, self.stride) = (maps, stride)
  }

  var count: Int { maps.count }
  var width: Int { self[0].shape.width }
  var cellCount: Int { self[0].shape.height * width }

  subscript(_ index: Int) -> TensorView { maps[maps.startIndex + index] }

  func column(_ cell: Int) -> Float { Float(cell % width) }
  func row(_ cell: Int) -> Float { Float(cell / width) }

  /// Throws `failedPrecondition` unless every map has its number of channels and all have the same size.
  fileprivate func check(channels: [Int], family: String) throws(Status) {
    precondition(channels.count == count)
    let size = self[0].shape
    for (map, expected) in zip(maps, channels) {
      let shape = map.shape
      // The decoders read cells without a check of each: TensorView holds them all.
      guard shape.channels == expected, shape.height == size.height, shape.width == size.width else {
        throw Status(
          .failedPrecondition,
          "a \(family) output is \(shape.channels)×\(shape.height)×\(shape.width) where \(expected) channels of "
            + "\(size.height)×\(size.width) are needed; check the blob names in model.json")
      }
    }
  }
}

extension TensorView {
  func value(_ channel: Int, _ cell: Int) -> Float { values[channel * shape.channelStride + cell] }
}

extension FivePoints {
  /// Makes the points from those of a network, which list right eye, left eye, nose tip, right and left mouth
  /// corner.
  init(networkOrder point: (Int) -> Point) {
    self.init(
      leftEye: point(1), rightEye: point(0), noseTip: point(2), mouthLeft: point(4), mouthRight: point(3))
  }
}

extension [[GraphHead]] {
  var coarsest: Int { joined().map(\.stride).max() ?? 1 }

  /// Returns the levels, each with its heads by rising number of channels, if they have the wanted channels.
  /// - Parameter channels: those of a stride, rising.
  func levels(_ channels: (_ stride: Int) -> [Int]) -> [MapLevel]? {
    var levels: [MapLevel] = []
    for heads in self {
      let heads = heads.sorted { $0.channels < $1.channels }
      guard let stride = heads.first?.stride, heads.map(\.channels) == channels(stride) else { return nil }
      levels.append(MapLevel(stride: stride, blobs: heads.map(\.blob)))
    }
    return levels
  }
}

/// Returns 1 / (1 + e⁻ˣ), the probability of a score. NaN stays NaN.
func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }

/// The form of a head's scores: the probability itself, or the value before the sigmoid.
public enum ScoreForm: Sendable {
  case probability
  case logit

  /// Returns a score below which every probability is below `probability`: excludes nearly all cells without
  /// an exponential.
  package func minScore(for probability: Float) -> Float {
    guard probability > 0 else { return -.infinity }
    switch self {
    case .probability: return probability
    case .logit:
      // A little less, because both conversions are rounded.
      let inside = min(probability, 0.9999)
      return logf(inside / (1 - inside)) - 0.01
    }
  }

  package func probability(_ value: Float) -> Float {
    switch self {
    case .probability: min(max(value, 0), 1)
    case .logit: sigmoid(value)
    }
  }
}
