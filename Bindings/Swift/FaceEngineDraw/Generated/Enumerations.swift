// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

/// How a text is aligned to its position.
public enum TextAnchor: UInt32, Sendable, CaseIterable {
  /// The text begins at the position.
  case left = 0
  /// `FACE_DRAW_ANCHOR_MIDDLE` of C.
  case middle = 1
  /// `FACE_DRAW_ANCHOR_RIGHT` of C.
  case right = 2
}

/// The shape of a cover.
public enum CoverShape: UInt32, Sendable, CaseIterable {
  /// The ellipse in the box with its margin.
  case ellipse = 0
  /// The box with its margin.
  case box = 1
}

/// Which face to crop.
public enum CropChoice: UInt32, Sendable, CaseIterable {
  /// The only face: there must be exactly one.
  case onlyFace = 0
  /// The largest of several faces.
  case largestFace = 1
}

/// What happens if the face with its margin does not fit into the picture.
public enum CropOverflow: UInt32, Sendable, CaseIterable {
  /// The call fails with `Status.outOfRange`.
  case fail = 0
  /// The margin shrinks as far as needed.
  case clamp = 1
  /// The crop stays centred on the face; outside the picture its last pixels are repeated.
  case pad = 2
}
