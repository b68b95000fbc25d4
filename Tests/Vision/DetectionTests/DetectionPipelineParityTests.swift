import Detection
import FaceCore
import Imaging
import Inference
import ModelStore
import TestSupport
import Testing

/// Both engines find the same faces in one photo.
@Suite(.needsRealModel, .needsNcnn) struct DetectionPipelineParityTests {
  @Test(arguments: [0, 640, 333, 97])
  func facesOfThePhotoAreTheSameWithKernelsAndNcnn(maxSide: Int) throws {
    let package = try RealModel.package()
    let manifest = package.manifest
    let family = try YuNet(
      outputs: manifest.outputs, strides: manifest.strides, inputMultiple: manifest.input.multiple)
    let input = InputSpecification(blob: "in0", colour: .bgr, mean: [0, 0, 0], scale: [1, 1, 1])
    let networks: [any Network] = [
      try NcnnPlugin.network(package),
      try FusedNetwork(
        graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: family.outputs),
      try FusedNetwork(
        graph: package.graph, weights: package.weights, inputBlob: "in0", outputs: family.outputs, threads: 2),
    ]
    var options = DetectionOptions()
    options.maxSide = maxSide
    options.minConfidence = 0.3
    let results = try networks.map { network in
      try Fixture.photo("astronaut.png").borrowed { (file) throws(Status) in
        try DetectionPipeline(network: network, family: family, input: input)
          .findFaces(in: UprightImage(ImageInput(.encoded(file))), options)
      }
    }
    #expect(!results[0].faces.isEmpty)
    for result in results.dropFirst() {
      #expect(result.faces.count == results[0].faces.count)
      for (ours, theirs) in zip(result.faces, results[0].faces) {
        #expect(ours.distance(to: theirs) < 0.02)
        #expect(abs(ours.confidence - theirs.confidence) < 1e-4)
      }
    }
  }
}
