/// The meaning of an ONNX tensor during the import.
enum ONNXValue {
  case image(ONNXImage)
  case map(ONNXMap)
  case constant(ONNXConstant)
  case list(ONNXList)
}

/// The network's input, perhaps normalised: value × scale + offset for each channel.
struct ONNXImage: Equatable {
  var scale: [Float] = [1, 1, 1]
  var offset: [Float] = [0, 0, 0]
  /// Whether the order is height × width × channels instead of channels × height × width.
  var isChannelsLast: Bool
}

/// A blob of the ncnn graph.
struct ONNXMap {
  var blob: Int
  /// Whether only the next reader of this tensor depends on the blob, so that the layer that produces it may
  /// change.
  var isExclusive: Bool
}

/// A value that is no longer a map: maps rearranged, joined, or decoded to something else. Networks end in
/// these; a detector's family decodes the maps themselves.
struct ONNXList {
  struct Part {
    var map: ONNXMap
    /// Whether a sigmoid follows the map.
    var hasSigmoid = false
  }

  /// The arrangement of the only part, if it could become a map again.
  enum Form: Equatable {
    /// The channels in this number of groups.
    case groups(Int)
    /// The same groups with the two dimensions of channels exchanged.
    case shuffled(Int)
    /// The four dimensions in this order.
    case permuted([Int])
  }

  var parts: [Part] = []
  /// Whether the values of the parts, apart from their sigmoids, were only moved.
  var isMoved = true
  var form: Form?
  /// The node after which it is no longer a map, for messages.
  var maker: String
}
