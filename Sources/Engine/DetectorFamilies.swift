import Detection
import FaceCore
import ModelStore

/// From what a package says of itself to the code that reads its network's outputs.
enum DetectorFamilies {
  static func make(_ manifest: ModelManifest) throws(Status) -> any DetectorFamily {
    switch manifest.family {
    case "yunet":
      return try yunet(manifest)
    default:
      throw Status(
        .failedPrecondition, "model.json names the family \"\(manifest.family)\"; this version knows: yunet")
    }
  }

  private static func yunet(_ manifest: ModelManifest) throws(Status) -> YuNet {
    func blobs(_ kind: String) throws(Status) -> [String] {
      guard let names = manifest.outputs[kind] else {
        throw Status(
          .failedPrecondition,
          "outputs in model.json has no \"\(kind)\"; YuNet needs cls, obj, box and points")
      }
      return names
    }
    let classification = try blobs("cls")
    let objectness = try blobs("obj")
    let box = try blobs("box")
    let points = try blobs("points")
    let levels = manifest.strides.indices.map { index in
      YuNet.Level(
        stride: manifest.strides[index], classification: classification[index], objectness: objectness[index],
        box: box[index], points: points[index])
    }
    return YuNet(levels: levels, inputMultiple: manifest.input.multiple)
  }
}

extension InputSpecification {
  init(_ input: ModelManifest.Input) {
    self.init(
      blob: input.blob, colour: input.colour == "rgb" ? .rgb : .bgr, mean: input.mean, scale: input.scale)
  }
}
