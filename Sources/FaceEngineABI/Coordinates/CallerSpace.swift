import CFaceEngine
import FaceCore

extension CoordinateSpace {
  /// A `face_space` that was checked. Throws `invalidArgument`, naming the member.
  init(reading pointer: UnsafePointer<face_space>?) throws(Status) {
    var value = face_space()
    try VersionedStruct.read(pointer, into: &value, name: "space")
    switch value.kind {
    case face_space_kind(FACE_SPACE_PIXELS): self = .pixels
    case face_space_kind(FACE_SPACE_NORMALISED): self = .normalised
    case face_space_kind(FACE_SPACE_NORMALISED_BOTTOM_LEFT): self = .normalisedBottomLeft
    case face_space_kind(FACE_SPACE_VIEW): self = .view(try ViewTransform(value))
    default: throw Status(.invalidArgument, "space->kind is \(value.kind), which is none of FACE_SPACE_...")
    }
  }
}

extension ViewTransform {
  init(_ value: face_space) throws(Status) {
    guard let fit = UInt8(exactly: value.fit).flatMap(Fit.init(rawValue:)) else {
      throw Status(.invalidArgument, "space->fit is \(value.fit), which is none of FACE_FIT_...")
    }
    guard let rotation = UInt16(exactly: value.rotation).flatMap(QuarterTurn.init(rawValue:)) else {
      throw Status(.invalidArgument, "space->rotation is \(value.rotation); give 0, 90, 180 or 270")
    }
    self.init(
      width: value.view_width, height: value.view_height, fit: fit, rotation: rotation,
      isMirrored: try flag(value.mirrored, "space->mirrored"))
  }
}
