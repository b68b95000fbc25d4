public import FaceCore

/// The contents of a model package's `model.json`. Every field is described in Models/README.md.
public struct ModelManifest: Equatable, Sendable {
  public struct Input: Equatable, Sendable {
    public var blob: String
    /// "bgr" or "rgb"; empty for a network whose input is not pixels, like `mean` and `scale`.
    public var colour: String
    /// Three values each; the network sees (value − mean) × scale.
    public var mean: [Float]
    public var scale: [Float]
    /// The number that both sides of the input must be divisible by.
    public var multiple: Int
  }

  public struct File: Equatable, Sendable {
    public var name: String
    public var size: Int
    /// 64 lower-case hexadecimal digits.
    public var sha256: String
  }

  public var name: String
  public var title: String
  public var role: String
  public var family: String
  public var licence: String
  /// Raised when the results for the same pixels change; 1 by default.
  public var revision: Int
  public var input: Input
  /// The strides in pixels of the input, smallest first.
  public var strides: [Int]
  /// Blob names by kind of map, one per stride.
  public var outputs: [String: [String]]
  public var graph: File
  public var weights: File
  /// The weights in eight or 16 bits, if there are any.
  public var quantised: File?

  /// All of the package's files.
  public var files: [File] { [graph, weights] + (quantised.map { [$0] } ?? []) }

  /// Reads the text of a `model.json`; throws `failedPrecondition`, naming the field that is wrong.
  public init(json text: [UInt8]) throws(Status) {
    let root = try JSONObject(parsing: text, name: "model.json")
    name = try root.string("name")
    title = try root.string("title")
    role = try root.string("role")
    family = try root.string("family")
    licence = try root.string("licence")
    revision = root.has("revision") ? try root.integer("revision") : 1
    guard (1...Int(UInt32.max)).contains(revision) else {
      throw Status(.failedPrecondition, "revision in model.json is \(revision); give 1 or more")
    }
    // A network whose input is points has neither pixels nor maps.
    let seesPixels = role != "expressions"
    strides = seesPixels ? try root.integers("strides") : [1]
    outputs = try root.object("outputs").stringLists()
    input = try Input(root.object("input"), seesPixels: seesPixels)
    let files = try root.object("files")
    graph = try File(files.object("param"))
    weights = try File(files.object("bin"))
    quantised = try ["int8", "int16"].first(where: files.has).map { (key) throws(Status) in
      try File(files.object(key))
    }
    guard !strides.isEmpty, strides.allSatisfy({ (1...256).contains($0) }) else {
      throw Status(.failedPrecondition, "strides in model.json must be one or more numbers from 1 to 256")
    }
    // Otherwise the maps of a padded input would not match each other.
    guard strides.allSatisfy({ input.multiple.isMultiple(of: $0) }) else {
      throw Status(
        .failedPrecondition,
        "input.multiple in model.json is \(input.multiple); it must be divisible by every one of strides")
    }
    for (kind, blobs) in outputs where blobs.count != strides.count {
      throw Status(
        .failedPrecondition,
        "outputs.\(kind) in model.json names \(blobs.count) blobs for \(strides.count) strides; name one a stride"
      )
    }
  }
}

extension ModelManifest.Input {
  fileprivate init(_ object: JSONObject, seesPixels: Bool) throws(Status) {
    blob = try object.string("blob")
    guard seesPixels else {
      (colour, mean, scale, multiple) = ("", [], [], 1)
      return
    }
    colour = try object.string("colour")
    mean = try object.numbers("mean")
    scale = try object.numbers("scale")
    multiple = try object.integer("multiple")
    guard colour == "bgr" || colour == "rgb" else {
      throw Status(
        .failedPrecondition, "input.colour in model.json is \"\(colour)\"; it must be \"bgr\" or \"rgb\"")
    }
    guard mean.count == 3, scale.count == 3 else {
      throw Status(
        .failedPrecondition, "input.mean and input.scale in model.json must have three numbers each")
    }
    guard (1...256).contains(multiple) else {
      throw Status(.failedPrecondition, "input.multiple in model.json is \(multiple); it must be 1…256")
    }
  }
}

extension ModelManifest.File {
  fileprivate init(_ object: JSONObject) throws(Status) {
    name = try object.string("name")
    size = try object.integer("size")
    sha256 = try object.string("sha256")
    // A package names only files next to its model.json.
    guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else {
      throw Status(
        .failedPrecondition, "a file name in model.json is \"\(name)\"; it must be a plain file name")
    }
    let digits = Array("0123456789abcdef".utf8)
    guard sha256.utf8.count == 64, sha256.utf8.allSatisfy(digits.contains) else {
      throw Status(
        .failedPrecondition, "the sha256 of \(name) in model.json is not 64 lower-case hexadecimal digits")
    }
    guard (1...ModelPackage.maxFileBytes).contains(size) else {
      throw Status(
        .failedPrecondition, "the size of \(name) in model.json is \(size) bytes, but no model has this size")
    }
  }
}
