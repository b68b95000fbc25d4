import Engine
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// Engines whose caller chose what runs the networks.
@Suite struct NetworkRuntimeTests {
  private let folder: TemporaryFolder
  private static let fixtures = "\(Fixture.repository)/Tests/Fixtures/onnx"

  init() throws { folder = try TemporaryFolder() }

  private func detect(_ engine: Engine, _ photo: String = "grace_hopper.jpg") throws -> DetectionResult {
    let options = adjusted(DetectionOptions()) { $0.minConfidence = 0.5 }
    return try engine.detect(file: Fixture.photo(photo), options)
  }

  private func problem(_ model: String, _ engine: NetworkRuntime) -> Status? {
    failure { () throws(Status) in
      _ = try Engine(modelFolders: [model], runtime: engine)
    }
  }

  @Test(arguments: [
    ("", NetworkRuntime.automatic), ("automatic", .automatic), ("kernels", .kernels),
    ("ncnn", .plugin("ncnn", options: "")), ("onnxruntime", .plugin("onnxruntime", options: "")),
    ("onnxruntime:CUDA,device_id=1", .plugin("onnxruntime", options: "CUDA,device_id=1")),
    ("my-own_2:a:b", .plugin("my-own_2", options: "a:b")), ("mine:", .plugin("mine", options: "")),
  ])
  func textsNameEngines(text: String, engine: NetworkRuntime) throws {
    #expect(try NetworkRuntime(text) == engine)
  }

  @Test(arguments: [
    ":", ":CUDA", "Onnxruntime", "../ncnn", "a b", "kernels:fast", "automatic:", "ncnn\n",
    String(repeating: "n", count: 65), "é",
  ])
  func otherTextsAreRefused(text: String) {
    expectFailure(.invalidArgument) { try NetworkRuntime(text) }
  }

  @Test(.needsRealModel) func kernelsRunNothingElse() throws {
    let engine = try Engine(modelFolders: [RealModel.folder], runtime: .kernels)
    #expect(engine.models.first?.engine.hasPrefix("fused kernels") == true)
    let problem = problem("\(Self.fixtures)/yunet_elu.onnx", .kernels)
    #expect(problem?.code == .unimplemented && problem?.message.contains("--engine onnxruntime") == true)
  }

  @Test(.needsRealModel) func aMissingPluginIsNamed() {
    let problem = problem(RealModel.folder, .plugin("no-such", options: ""))
    #expect(problem?.code == .failedPrecondition && problem?.message.contains("no-such") == true)
  }

  @Test(.needsRealModel, .needsNcnn) func ncnnRunsWhatTheKernelsCan() throws {
    let engine = try Engine(modelFolders: [RealModel.folder], runtime: .plugin("ncnn", options: ""))
    #expect(engine.models.first?.engine == "ncnn")
    #expect(try detect(engine).faces.count == 1)
    #expect(problem(RealModel.folder, .plugin("ncnn", options: "fast"))?.code == .unimplemented)
  }

  /// Published networks, whose files name sizes that are not those of the photos.
  @Test(.needsRealModel, .needsOnnxruntime, arguments: ["yunet", "centerface"])
  func onnxruntimeFindsTheSameFaces(model: String) throws {
    guard let file = try PublishedNetwork.unpack(model, into: folder) else { return }
    let kernels = try Engine(modelFolders: [file], precision: .float, runtime: .kernels)
    for threads in [1, 2] {
      let engine = try Engine(
        modelFolders: [file], threadsPerFrame: threads, runtime: .plugin("onnxruntime", options: "CPU"))
      #expect(engine.models.first?.engine == "onnxruntime, CPU")
      for photo in ["grace_hopper.jpg", "astronaut.png"] {
        let (ours, theirs) = (try detect(engine, photo).faces, try detect(kernels, photo).faces)
        #expect(ours.count == 1 && theirs.count == 1)
        for (one, other) in zip(ours, theirs) {
          #expect(abs(one.confidence - other.confidence) < 1e-3)
          for side in [\Box.x, \.y, \.width, \.height] {
            #expect(abs(one.box[keyPath: side] - other.box[keyPath: side]) < 1e-3)
          }
        }
      }
    }
  }

  @Test(.needsOnnxruntime, arguments: ["yunet_elu", "yunet_64", "yunet_half"])
  func onnxruntimeRunsOperatorsThatTheImporterDoesNotKnow(name: String) throws {
    let file = "\(Self.fixtures)/\(name).onnx"
    #expect(problem(file, .automatic)?.code == .unimplemented)
    let engine = try Engine(modelFolders: [file], runtime: .plugin("onnxruntime", options: ""))
    let model = try #require(engine.models.first)
    #expect(model.engine == "onnxruntime" && model.family == "yunet")
    let options = adjusted(DetectionOptions()) { ($0.minConfidence, $0.maxSide) = (0.9, 128) }
    let result = try engine.detect(file: Fixture.photo("grace_hopper.jpg"), options)
    #expect(result.imageSize == PixelSize(width: 512, height: 600))
  }

  /// A network of one size sees every picture in that size.
  @Test(.needsOnnxruntime) func aNetworkOfOneSizeSeesPicturesInIt() throws {
    let engine = try Engine(
      modelFolders: ["\(Self.fixtures)/yunet_64.onnx"], runtime: .plugin("onnxruntime", options: ""))
    let seen = try Fixture.photo("grace_hopper.jpg").borrowed { file throws(Status) in
      try engine.networkInput(ImageInput(.encoded(file)), options: DetectionOptions()).letterbox
    }
    #expect(seen.content.longSide == 64 && seen.input == PixelSize(width: 64, height: 64))
    // Squares and regions, side by side, would be more than that.
    var options = DetectionOptions()
    (options.minConfidence, options.maxFaces) = (0.5, 2)
    let tracker = try engine.tracker()
    try Fixture.photo("grace_hopper.jpg").borrowed { file throws(Status) in
      let image = ImageInput(.encoded(file))
      for _ in 1...3 { #expect(try tracker.trackFaces(image, options: options).result.faces.count <= 2) }
      options.rotations = .any
      #expect(try engine.detect(image, options: options).faces.count <= 2)
    }
  }

  @Test(.needsRealModel, .needsOnnxruntime) func whatOnnxruntimeCannotRunIsRefusedWithItsReason() throws {
    let onnxruntime = NetworkRuntime.plugin("onnxruntime", options: "")
    let ncnn = problem(RealModel.folder, onnxruntime)
    #expect(ncnn?.code == .failedPrecondition && ncnn?.message.contains("runs .onnx files") == true)
    let invalid = problem("\(Self.fixtures)/unknown_operator.onnx", onnxruntime)
    #expect(invalid?.code == .failedPrecondition && invalid?.message.contains("GridSample") == true)
    let other = problem("\(Self.fixtures)/softmax_inside.onnx", onnxruntime)
    #expect(other?.code == .failedPrecondition && other?.message.contains("no known family") == true)
    try folder.write("cut.onnx", Data(contentsOf: URL(filePath: "\(Self.fixtures)/yunet.onnx")).prefix(9000))
    #expect(problem(folder.path("cut.onnx"), onnxruntime)?.code == .failedPrecondition)
    for options in ["Abacus", "CPU,fast", "CPU,=1", "CPU,a=b", ",a=b", String(repeating: "x", count: 2000)] {
      let problem = problem("\(Self.fixtures)/yunet.onnx", .plugin("onnxruntime", options: options))
      #expect(problem?.code == .unimplemented, "\(options.prefix(20)): \(String(describing: problem))")
    }
  }
}
