import FaceCore
import Inference

/// Several maps over the same cells, one after the other: what the heads of one stride give.
enum MapGroup {
  /// Throws `failedPrecondition` unless every map has its number of channels and all have one size.
  static func check(_ maps: ArraySlice<TensorView>, channels: [Int], family: String) throws(Status) {
    guard maps.count == channels.count, let size = maps.first?.shape else {
      throw Status(.internal, "\(family) was given \(maps.count) maps instead of \(channels.count)")
    }
    for (map, expected) in zip(maps, channels) {
      let shape = map.shape
      guard shape.channels == expected, shape.height == size.height, shape.width == size.width else {
        throw Status(
          .failedPrecondition,
          "a \(family) output is \(shape.channels)×\(shape.height)×\(shape.width) where \(expected) channels of "
            + "\(size.height)×\(size.width) are needed; check the blob names in model.json")
      }
    }
  }
}
