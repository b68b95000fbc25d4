/// The trade-off between speed and the number of faces that are found.
public enum Accuracy: UInt8, Sendable, CaseIterable {
  /// At least three times as fast as `balanced`; small faces are missed.
  case low = 1
  case balanced = 2
  /// Runs several networks and scales together.
  case high = 3
}

/// The tilts at which heads are found.
public enum Rotations: UInt8, Sendable, CaseIterable {
  /// Up to about 45° to either side.
  case upright = 0
  /// Any angle, also upside down.
  case any = 1
}

public struct DetectionOptions: OptionTable, Equatable, Sendable {
  public var outputs: FaceOutputs = []
  public var accuracy: Accuracy = .balanced
  /// Name of the loaded model to use; empty for the engine's own choice.
  public var model = ""
  /// The longest side, in pixels, to which the image is scaled down for the network; 0 for its own size,
  /// `nil` for the value that belongs to `accuracy`. If it is given in pixels, `low` and `balanced` are one
  /// search, however large the faces are.
  public var maxSide: Int?
  /// Whether only the most prominent face is wanted: the largest, with faces nearer to the middle counting as
  /// larger.
  public var isProminentOnly = false
  /// Faces that the caller knows already, in pixels of the upright image: `outputs` are measured for these,
  /// and no detector runs, even if there are none. `nil`: the detector searches for faces.
  public var boxes: [Box]?

  /// The largest number of `boxes` in a call.
  public static let maxBoxes = 1000
  public var rotations: Rotations = .upright

  // generated: swift-options DetectionOptions DetectOptions
  /// Leave out faces with a lower confidence than this. 0 to 1.
  public var minConfidence: Float = 0.6
  /// Leave out the less confident of two boxes whose intersection over union is larger than this. The
  /// accuracies balanced and high average several boxes, and allow 1.5 times this overlap. 0 to 1.
  public var overlapThreshold: Float = 0.3
  /// At most this many faces, the most confident ones; 0 for all. Only a network's 5000 most confident
  /// boxes count, also with 0 for all: any others are lost. 0 or more.
  public var maxFaces = 0
  /// Leave out faces whose box is narrower or lower than this, in pixels. 0 or more pixels.
  public var minFaceSize: Float = 0
  /// Leave out faces narrower than this share of the upright image's width. 0 to 1.
  public var minFaceShare: Float = 0
  /// Fail with NOT_FOUND unless the model has this revision; 0 for any. 0 to 4294967295.
  public var modelRevision = 0
  /// Measure landmarks and other outputs of at most this many faces: the most confident ones, or the first
  /// of the given boxes. 0 for as many as the engine's limit analysed_faces_per_image allows. 0 to
  /// 4294967295.
  public var maxAnalysedFaces = 1000

  /// The numeric options, by their names in DetectOptions and in C.
  // swift-format-ignore
  public static let fields: [OptionField] = [
    OptionField(
      "min_confidence", \DetectionOptions.minConfidence, 0...1,
      "Leave out faces with a lower confidence than this."),
    OptionField(
      "overlap_threshold", \DetectionOptions.overlapThreshold, 0...1,
      "Leave out the less confident of two boxes whose intersection over union is larger than this."),
    OptionField(
      "max_faces", \DetectionOptions.maxFaces, 0...(.infinity),
      "At most this many faces, the most confident ones; 0 for all."),
    OptionField(
      "min_face_size", \DetectionOptions.minFaceSize, 0...(.infinity),
      "Leave out faces whose box is narrower or lower than this, in pixels."),
    OptionField(
      "min_face_share", \DetectionOptions.minFaceShare, 0...1,
      "Leave out faces narrower than this share of the upright image's width."),
    OptionField(
      "model_revision", \DetectionOptions.modelRevision, 0...Double(UInt32.max),
      "Fail with NOT_FOUND unless the model has this revision; 0 for any."),
    OptionField(
      "max_analysed_faces", \DetectionOptions.maxAnalysedFaces, 0...Double(UInt32.max),
      "Measure landmarks and other outputs of at most this many faces: the most confident ones, or the first of the given boxes."),
  ]
  // end of generated

  public init() {}

  /// `maxSide`, or the value that belongs to the accuracy.
  public var effectiveMaxSide: Int {
    if let maxSide { return maxSide }
    return switch accuracy {
    case .low: 448
    case .balanced: 1024
    case .high: 0
    }
  }

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func validate() throws(Status) {
    for field in DetectionOptions.fields {
      do {
        try validate([field])
      } catch {
        throw Status(error.code, error.message, .field("options.\(field.name)"))
      }
    }
    if let maxSide, maxSide != 0, !(ImageLimits.minSide...ImageLimits.maxTargetSide).contains(maxSide) {
      throw Status(
        .invalidArgument,
        "max_side is \(maxSide); give \(ImageLimits.minSide)…\(ImageLimits.maxTargetSide) pixels, or leave it out",
        .field("options.max_side"))
    }
    try validateBoxes()
  }

  private func validateBoxes() throws(Status) {
    guard let boxes else { return }
    guard boxes.count <= DetectionOptions.maxBoxes else {
      throw Status(
        .invalidArgument, "\(boxes.count) boxes are given; give at most \(DetectionOptions.maxBoxes)",
        .field("options.boxes"))
    }
    guard !outputs.isEmpty else {
      throw Status(
        .invalidArgument,
        "boxes are given and no outputs are requested, so there is nothing to measure; request landmarks or others",
        .field("options.boxes"))
    }
    if let index = boxes.firstIndex(where: { !$0.isValid }) {
      throw Status(
        .invalidArgument,
        "box \(index) has a side of 0 or less, or a number that is not finite; give x, y, width and height in pixels",
        .field("options.boxes"))
    }
  }

  /// Throws `invalidArgument` for `boxes`: they belong to one picture, and these options are for several.
  public func validateForSeveralImages() throws(Status) {
    guard boxes == nil else {
      throw Status(
        .invalidArgument,
        "boxes belong to one picture, not to a batch; detect in each picture with its own boxes",
        .field("options.boxes"))
    }
  }

  /// Returns whether a face in an upright image of `size` is large enough for these options.
  package func isLargeEnough(_ face: Face, in size: PixelSize) -> Bool {
    min(face.box.width, face.box.height) >= minFaceSize && face.box.width >= minFaceShare * Float(size.width)
  }
}
