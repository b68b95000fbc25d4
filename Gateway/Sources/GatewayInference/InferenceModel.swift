package import EngineLink
import FaceCore
import GatewayCoding
import NIOCore
import ResultJSON
import Wire

/// A tensor of the Open Inference Protocol.
struct Tensor: Sendable {
  enum Contents: Sendable {
    /// Little-endian numbers without gaps.
    case numbers(ByteBuffer)
    /// Elements of type BYTES.
    case elements([ByteBuffer])
  }

  var name: String
  var datatype: String
  var shape: [Int64]
  var contents: Contents
}

/// An inference request, over gRPC or REST.
struct InferenceCall: Sendable {
  var model: String
  /// The requested version; empty for any.
  var version: String
  var id: String
  var parameters: [(name: String, value: String)]
  var inputs: [Tensor]
  /// The requested outputs; empty for all.
  var outputs: [String]
}

/// The detector as a model of the Open Inference Protocol, with pictures as inputs and tensors as outputs.
///
/// Source: github.com/kserve/open-inference-protocol, specification/protocol.
package struct InferenceModel: Sendable {
  /// The name of the engine's default model.
  static let standardName = "faces"
  static let maxPictures = 64

  struct TensorKind: Sendable {
    let name: String
    let datatype: String
    let shape: [Int64]

    /// The type in a model's configuration. Source: Triton's model_config.proto.
    var configType: (name: String, number: UInt64) {
      switch datatype {
      case "UINT8": ("TYPE_UINT8", 2)
      case "INT32": ("TYPE_INT32", 8)
      case "FP32": ("TYPE_FP32", 11)
      default: ("TYPE_STRING", 13)
      }
    }
  }

  static let platform = "face-engine"

  /// The possible inputs: a request has files or pixels.
  static let inputs = [
    TensorKind(name: "image", datatype: "BYTES", shape: [-1]),
    TensorKind(name: "pixels", datatype: "UINT8", shape: [-1, -1, 3]),
  ]

  /// A model that can be named in a request.
  struct Entry: Sendable {
    let name: String
    /// The model's revision.
    let version: String
    let isLoaded: Bool
  }

  let calls: FaceCalls
  let statistics = InferenceStatistics()

  package init(calls: FaceCalls) {
    self.calls = calls
  }

  /// The default model, if one is loaded, and the engine's detectors.
  func entries() async throws(CallFailure) -> [Entry] {
    let detectors = try await calls.models().filter { $0.model.role == "detector" }
    let all = detectors.map {
      Entry(name: "\($0.model.name)", version: String($0.model.revision), isLoaded: $0.isLoaded)
    }
    guard let first = all.first(where: \.isLoaded) else { return all }
    return [Entry(name: Self.standardName, version: first.version, isLoaded: true)] + all
  }

  /// The model of a name and a version; an empty version is any.
  ///
  /// Throws `notFound` for a model or a version that the engine does not have.
  func entry(_ name: String, _ version: String) async throws(CallFailure) -> Entry {
    let all = try await entries()
    guard let found = all.first(where: { $0.name == name }) else {
      throw CallFailure(
        .notFound,
        "there is no model \(JSON.string(name)); there are \(all.map(\.name).joined(separator: ", "))")
    }
    guard version.isEmpty || version == found.version else {
      throw CallFailure(
        .notFound,
        "model \(name) has version \(found.version), not \(JSON.string(version)); leave the version out")
    }
    return found
  }

  static let loading = CallFailure(
    .unimplemented,
    "callers cannot load models here; with --allow-admin, \(Method.reloadModel.fullName) reloads one"
  )

  /// Runs an inference, counts it, and returns its model and the requested outputs.
  func infer(
    _ call: InferenceCall, timeout: Int64
  ) async throws(CallFailure) -> (model: Entry, outputs: [Tensor]) {
    let begin = NIODeadline.now()
    let model = try await entry(call.model, call.version)
    do throws(CallFailure) {
      return (model, try await infer(call, model, since: begin, timeout: timeout))
    } catch {
      statistics.failed(model, in: NIODeadline.now() - begin)
      throw error
    }
  }

  private func infer(
    _ call: InferenceCall, _ model: Entry, since begin: NIODeadline, timeout: Int64
  ) async throws(CallFailure) -> [Tensor] {
    let start = NIODeadline.now()
    let (options, pictures) = try FaceCalls.coding { () throws(Status) in
      var options = try PictureOptions.parse(call.parameters)
      options.detection.outputs.formUnion(try InferenceOutputs.measured(by: call.outputs))
      if call.model != Self.standardName { options.detection.model = call.model }
      return (options, try Self.pictures(call.inputs))
    }
    let read = NIODeadline.now()
    let results = try await detect(pictures, options, timeout: timeout)
    let found = NIODeadline.now()
    let wanted = call.outputs.isEmpty ? InferenceOutputs.standard(options.detection.outputs) : call.outputs
    let outputs = wanted.map { InferenceOutputs.tensor($0, results) }
    let end = NIODeadline.now()
    statistics.succeeded(
      model, pictures: pictures.count, in: end - begin,
      InferenceStatistics.Times(input: read - start, infer: found - read, output: end - found))
    return outputs
  }

  /// Detects each picture in a call of its own, so that only one at a time has to fit in a message.
  private func detect(
    _ pictures: [SentPicture], _ options: PictureOptions, timeout: Int64
  ) async throws(CallFailure) -> [DetectionResult] {
    @Sendable func detect(_ picture: SentPicture) async throws(CallFailure) -> DetectionResult {
      try await calls.detect(picture, options.image, options.detection, timeout: timeout)
    }
    if pictures.count == 1 { return [try await detect(pictures[0])] }
    let outcomes = await withTaskGroup(of: (Int, Result<DetectionResult, CallFailure>).self) { group in
      for (index, picture) in pictures.enumerated() {
        group.addTask {
          do throws(CallFailure) {
            return (index, .success(try await detect(picture)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: [Int: Result<DetectionResult, CallFailure>]()) { $0[$1.0] = $1.1 }
    }
    var results: [DetectionResult] = []
    for index in pictures.indices {
      switch outcomes[index] {
      case .success(let result)?: results.append(result)
      case .failure(var failure)?:
        failure.status.message = "picture \(index): \(failure.status.message)"
        throw failure
      case nil: throw CallFailure(.internal, "picture \(index) was not searched")
      }
    }
    return results
  }

  // MARK: Tensors

  private static func pictures(_ inputs: [Tensor]) throws(Status) -> [SentPicture] {
    guard inputs.count == 1, let input = inputs.first else {
      throw Status(
        .invalidArgument, "there are \(inputs.count) inputs; give one: image with files, or pixels")
    }
    let pictures: [SentPicture]
    switch (input.name, input.contents) {
    case ("image", .elements(let files)): pictures = try self.files(input, files)
    case ("pixels", .numbers(let bytes)): pictures = try self.pixels(input, bytes)
    case ("image", _):
      throw Status(.invalidArgument, "the input image has the type \(input.datatype); give BYTES")
    case ("pixels", _):
      throw Status(.invalidArgument, "the input pixels has the type \(input.datatype); give UINT8")
    default:
      throw Status(
        .invalidArgument, "there is no input \(JSON.string(input.name)); give image with files, or pixels")
    }
    guard (1...maxPictures).contains(pictures.count) else {
      throw Status(
        .invalidArgument, "there are \(pictures.count) pictures; give 1 to \(maxPictures)",
        .limit("batch_images"))
    }
    return pictures
  }

  private static func files(_ input: Tensor, _ files: [ByteBuffer]) throws(Status) -> [SentPicture] {
    let most = Int64(maxPictures)
    // A shape of so few sides cannot overflow.
    let isList = (1...8).contains(input.shape.count) && input.shape.allSatisfy { (1...most).contains($0) }
    guard isList, input.shape.reduce(1, *) == files.count else {
      throw Status(
        .invalidArgument,
        "the input image has the shape \(input.shape) and \(files.count) elements; give [N] with N files")
    }
    return files.map { .file($0) }
  }

  private static func pixels(_ input: Tensor, _ bytes: ByteBuffer) throws(Status) -> [SentPicture] {
    var shape = input.shape
    if shape.count == 3 { shape.insert(1, at: 0) }
    guard input.datatype == "UINT8", shape.count == 4, shape[3] == 3,
      shape.dropLast().allSatisfy({ (1...65536).contains($0) }), shape[0] <= maxPictures
    else {
      throw Status(
        .invalidArgument,
        "the input pixels has the type \(input.datatype) and the shape \(input.shape); give UINT8 [height, width, 3]"
      )
    }
    let (height, width) = (Int(shape[1]), Int(shape[2]))
    let size = height * width * 3
    guard bytes.readableBytes == size * Int(shape[0]) else {
      throw Status(
        .invalidArgument,
        "the input pixels has \(bytes.readableBytes) numbers; its shape \(input.shape) has \(size * Int(shape[0]))"
      )
    }
    var rest = bytes
    var pictures: [SentPicture] = []
    while let slice = rest.readSlice(length: size), slice.readableBytes > 0 {
      pictures.append(.pixels(slice, width: width, height: height))
    }
    return pictures
  }
}
