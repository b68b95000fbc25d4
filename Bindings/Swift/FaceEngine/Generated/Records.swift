// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

internal import CFaceEngine

/// A picture: a file, or pixels in memory. Its pixels are only read.
public struct Image: Sendable {
  let source: Source
  /// Overrides the orientation in a file.
  public var orientation: Orientation = .default
  /// For YUV formats.
  public var colour: ColourCoding = .bt601Full
  /// The upright picture is a mirror image, as from a front camera. The library mirrors it back before it searches, and
  /// coordinates are those of the picture mirrored back.
  public var isMirrored: Bool = false
  /// The part to search, in pixels of the upright image; nil for the whole image. Results keep the coordinates of the
  /// whole image.
  public var region: Box?
  /// In the caller's own clock; returned with the frame's event.
  public var timestamp: Duration = .zero
  /// 0.1 to 10: the width of a stored pixel divided by its height; default 0: square pixels. A picture with other
  /// pixels, as from DV or an anamorphic lens, is searched in its true shape; results, boxes and region are in the
  /// picture's own pixels. Not for a guided check.
  public var pixelAspect: Float = 0

  init(_ source: Source) { self.source = source }

  func write(to c: inout face_image) throws(FaceError) {
    c.orientation = orientation.rawValue
    c.colour = colour.rawValue
    c.mirrored = isMirrored ? 1 : 0
    if let region { c.region = region.c }
    c.timestamp_ns = try nanoseconds(timestamp, "timestamp")
    c.pixel_aspect = pixelAspect
  }
}

/// One of the models that made a result.
public struct Model: Sendable, Hashable {
  /// As in "yunet", UTF-8, cut off after 63 bytes.
  public let name: String
  /// From 1; raised when the same pixels give other faces than before. `DetectOptions.modelRevision` requires a
  /// revision.
  public let revision: Int
  /// SHA-256 of the file with the weights that were used; weights in eight bits have a file of their own.
  public let weights: [UInt8]

  init(_ c: face_model) {
    name = string(in: c.name)
    revision = Int(c.revision)
    weights = withUnsafeBytes(of: c.weights_sha256) { Array($0) }
  }
}

/// One event of a guided check.
public struct CheckEvent: Sendable {
  /// What happened.
  public let kind: Kind
  /// The state after this frame. Checking for one that only a newer library has.
  public let state: CheckState
  /// The tip to show after this frame. Prompt for one that only a newer library has.
  public let tip: Tip
  /// English text of tip.
  public let text: String
  /// 0 to 1: how much of `hold` is done, after this frame.
  public let progress: Float
  /// How many actions are done, after this frame.
  public let actionsDone: Int
  /// How many actions there are.
  public let actionCount: Int
  /// The mask in pixels of the upright image.
  public let circle: Circle

  init(_ kind: Kind, _ c: face_check) {
    self.kind = kind
    state = CheckState(rawValue: c.state) ?? .checking
    tip = Tip(rawValue: c.tip) ?? .prompt
    text = c.text.map { String(cString: $0) } ?? ""
    progress = c.progress
    actionsDone = Int(c.actions_done)
    actionCount = Int(c.action_count)
    circle = Circle(c.circle)
  }
}
