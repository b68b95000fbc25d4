/// A detector of faces: the engine in this process, or a connection to one elsewhere.
public protocol FaceDetector: Sendable {
  /// Finds the faces of an image. Safe to call from several threads at once. `image` is borrowed until the
  /// call returns.
  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult
}

/// A detector that searches several images in one call.
public protocol BatchDetector: FaceDetector {
  /// Finds the faces of each image. The outcomes are in the images' order; an image that fails does not
  /// affect the others.
  ///
  /// Throws what concerns all of them: invalid options, and the reason why the call ended early.
  /// - Parameter cancellation: the token for all images together; the images' own are ignored. `nil`: only
  ///   the detector's own time limit, if any, ends the call.
  func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, cancellation: CancellationToken?
  ) throws(Status) -> [Result<DetectionResult, Status>]
}

/// The exact identity of a model: models with the same identity have the same weights.
public struct ModelIdentity: Equatable, Sendable {
  /// The name, as in "yunet".
  public var name: String
  /// The revision of its results, from 1: model.json raises it when the same pixels begin to give other
  /// faces.
  public var revision: Int
  /// The SHA-256 of the file with the weights in use, 32 bytes; 8-bit weights have a file of their own.
  public var weightsHash: [UInt8]

  public init(name: String, revision: Int, weightsHash: [UInt8]) {
    self.name = name
    self.revision = revision
    self.weightsHash = weightsHash
  }
}

/// The description of a model that is loaded or can be loaded.
public struct ModelInfo: Equatable, Sendable {
  /// The name, as in "yunet".
  public var name: String
  /// The decoder that reads its outputs, as in "yunet".
  public var family: String
  /// The SPDX identifier of the licence, as in "MIT".
  public var licence: String
  /// The role of the model: "detector", "landmarks" or "expressions".
  public var role: String
  /// The engine of the network, as in "ncnn"; empty when it is not loaded.
  public var engine: String
  /// The revision, as in `ModelIdentity`; 0 where it is not known. The hash is empty where the model is not
  /// loaded.
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

/// An object that holds loaded models. Safe to use from several threads at once.
public protocol ModelProvider: Sendable {
  /// The models that are loaded now; empty while detection is not possible. Cheap.
  var models: [ModelInfo] { get }

  /// Returns the models that are loaded now, then the others that can be loaded. Reads files.
  func listModels() throws(Status) -> [ListedModel]

  /// Loads the model `name` again from its files and puts it in place of the loaded one: calls in flight
  /// finish with the old one. Returns the reloaded models. Reads files.
  ///
  /// Throws `notFound` when no loaded model has that name, or what loading throws; then nothing has changed.
  /// - Parameter name: empty for every loaded model.
  func reloadModels(named name: String) throws(Status) -> [ModelInfo]

  /// Runs a complete detection on a small built-in picture; throws when that fails. Takes about a
  /// millisecond. Models whose memory was released are not loaded for it.
  func selfTest() throws(Status)

  /// Frees memory that is kept for the next calls, beyond `kept`.
  /// - Returns: whether there was any to free.
  @discardableResult
  func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool

  var hasReleasedModels: Bool { get }

  /// Releases the models' memory until a call needs them, which loads them again. `models` still lists them
  /// meanwhile.
  /// - Returns: whether there was any to release.
  func releaseModels() -> Bool
}

/// The memory that an engine keeps so that the next calls need not allocate it.
public enum KeptMemory: Sendable {
  /// What one call of ordinary size needs: no call comes.
  case forOneCall
  /// What calls have used since the last such release: the others may have ended.
  case usedSince
}

extension ModelProvider {
  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool { false }
  public var hasReleasedModels: Bool { false }
  public func releaseModels() -> Bool { false }
}
