/// A detector of faces: the engine in this process, or a connection to one elsewhere.
public protocol FaceDetector: Sendable {
  /// Safe to call from several threads at once. `image` is borrowed until the call returns.
  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult
}

/// A detector that searches several images in one call.
public protocol BatchDetector: FaceDetector {
  /// Finds the faces of each image; the outcomes are in the images' order, and an image that fails fails alone.
  ///
  /// Throws what concerns all of them: wrong options, and what ended the call early.
  /// - Parameter cancellation: of all images together; the images' own are ignored. `nil`: only the detector's own time
  ///   limit ends it, where it has one.
  func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, cancellation: CancellationToken?
  ) throws(Status) -> [Result<DetectionResult, Status>]
}

/// Which model it was, exactly: equal ones have the same weights.
public struct ModelIdentity: Equatable, Sendable {
  /// As in "yunet".
  public var name: String
  /// Of its results, from 1: model.json raises it when the same pixels begin to give other faces.
  public var revision: Int
  /// SHA-256 of the file with the numbers that run, 32 bytes; those in eight bits have a file of their own.
  public var weightsHash: [UInt8]

  public init(name: String, revision: Int, weightsHash: [UInt8]) {
    self.name = name
    self.revision = revision
    self.weightsHash = weightsHash
  }
}

/// The description of a model that is loaded, or could be.
public struct ModelInfo: Equatable, Sendable {
  /// As in "yunet".
  public var name: String
  /// The decoder that reads its outputs, as in "yunet".
  public var family: String
  /// SPDX identifier, as in "MIT".
  public var licence: String
  /// What it is for: "detector", "landmarks" or "expressions".
  public var role: String
  /// What runs the network, as in "ncnn"; empty when it is not loaded.
  public var engine: String
  /// As in `ModelIdentity`; 0 where it is not known. The hash is empty where the model is not loaded.
  public var revision: Int
  public var weightsHash: [UInt8]

  public var identity: ModelIdentity {
    ModelIdentity(name: name, revision: revision, weightsHash: weightsHash)
  }

  public init(
    name: String, family: String, licence: String, role: String = "detector", engine: String = "",
    revision: Int = 0, weightsHash: [UInt8] = []
  ) {
    self.name = name
    self.family = family
    self.licence = licence
    self.role = role
    self.engine = engine
    self.revision = revision
    self.weightsHash = weightsHash
  }
}

/// A model in an engine's list.
public struct ListedModel: Equatable, Sendable {
  public var model: ModelInfo
  /// One line for people.
  public var title: String
  public var isLoaded: Bool

  public init(_ model: ModelInfo, title: String, isLoaded: Bool) {
    self.model = model
    self.title = title
    self.isLoaded = isLoaded
  }
}

/// A holder of loaded models. Safe to use from several threads at once.
public protocol ModelProvider: Sendable {
  /// Those loaded now; empty while nothing can be detected. Cheap.
  var models: [ModelInfo] { get }

  /// Those loaded now, then the others that could be. Reads files.
  func listModels() throws(Status) -> [ListedModel]

  /// Loads the model `name` again from its files and puts it in place of the loaded one: calls in flight finish on the
  /// old one. Returns those reloaded. Reads files.
  ///
  /// Throws `notFound` when no loaded model has that name, and what loading throws; then nothing has changed.
  /// - Parameter name: empty for every loaded model.
  func reloadModels(named name: String) throws(Status) -> [ModelInfo]

  /// Detects in a small picture of its own, all the way through; throws when that fails. Takes about a millisecond. What was
  /// released is left alone.
  func selfTest() throws(Status)

  /// Whether the models' memory is released.
  var hasReleasedModels: Bool { get }

  /// Releases the models' memory until a call needs them, which loads them again. Meanwhile `models` goes on naming them.
  /// - Returns: whether there was any.
  func releaseModels() -> Bool
}

extension ModelProvider {
  public var hasReleasedModels: Bool { false }
  public func releaseModels() -> Bool { false }
}
