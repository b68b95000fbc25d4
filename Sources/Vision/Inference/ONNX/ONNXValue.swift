/// What a tensor of an ONNX graph is while the graph is imported.
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
  /// Height × width × channels instead of channels × height × width.
  var isChannelsLast: Bool
}

/// A blob of the ncnn graph.
struct ONNXMap {
  var blob: Int
  /// Whether nothing but what takes this tensor next depends on the blob, so that the layer that gives it may change.
  var isExclusive: Bool
}

/// What is no map any more: maps laid out anew, joined, or decoded to something else. Networks end in these; a detector's
/// family decodes the maps themselves.
struct ONNXList {
  struct Part {
    var map: ONNXMap
    /// A sigmoid behind the map.
    var hasSigmoid = false
  }

  /// How the one part lies, where it could become a map again.
  enum Form: Equatable {
    /// The channels as so many groups.
    case groups(Int)
    /// The same with the two dimensions of channels exchanged.
    case shuffled(Int)
    /// The four dimensions in this order.
    case permuted([Int])
  }

  /// What it is made of.
  var parts: [Part] = []
  /// Whether the values of the parts, through their sigmoids, were moved and nothing else.
  var isMoved = true
  var form: Form?
  /// The node that made it no map, for people.
  var maker: String
}
