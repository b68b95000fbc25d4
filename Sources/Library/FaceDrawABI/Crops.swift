// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
public import CFaceEngineDraw
import CallerABI
import FaceCore
import Imaging

@c @implementation
public func face_crop_options_init_sized(_ options: UnsafeMutablePointer<face_crop_options>!, _ size: Int) {
  VersionedStruct.initialize(options, size: size)
}

extension face_crop_options: SizedStruct {
  package static var defaults: face_crop_options {
    var value = face_crop_options()
    value.width = UInt32(FaceCrop.standardSize.width)
    value.height = UInt32(FaceCrop.standardSize.height)
    value.margin = fill
    return value
  }
}

@c @implementation
public func face_crop_portrait(
  _ image: UnsafePointer<face_image>!, _ faces: UnsafePointer<face_info>!, _ count: UInt32,
  _ options: UnsafePointer<face_crop_options>!, _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.status { () throws(Status) in
    try Handles.createPicture(out_picture) { () throws(Status) in
      let (crop, choice) = try cropAndChoice(options)
      let boxes = try Face.array(faces, count).map(\.box)
      let input = try ImageInput(reading: image, "image")
      let box = boxes[try choice.index(among: boxes)]
      return try PictureBox(
        try PictureCopy(of: input) { (picture) throws(Status) in try picture.portrait(of: box, crop) })
    }
  }
}

@c @implementation
public func face_crop_aligned(
  _ image: UnsafePointer<face_image>!, _ face: UnsafePointer<face_info>!, _ side: UInt32,
  _ out_picture: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.status { () throws(Status) in
    try Handles.createPicture(out_picture) { () throws(Status) in
      let input = try ImageInput(reading: image, "image")
      guard let points = try Face(reading: face, "face").points else {
        throw Status(
          .failedPrecondition, "the face has no points; use a model that finds five points, such as yunet")
      }
      let crop = AlignedCrop(side: side == 0 ? AlignedCrop.templateSide : Int(side))
      return try PictureBox(
        try PictureCopy(of: input) { (picture) throws(Status) in try picture.aligned(points, crop) })
    }
  }
}

/// The value of FACE_CROP_FILL, a macro that Swift does not import.
private let fill: Float = -1

/// Reads the crop and the choice of a face from `face_crop_options`; NULL gives the defaults.
private func cropAndChoice(
  _ pointer: UnsafePointer<face_crop_options>?
) throws(Status) -> (crop: FaceCrop, choice: FaceChoice) {
  guard pointer != nil else { return (FaceCrop(size: FaceCrop.standardSize), .only) }
  let value = try VersionedStruct.read(pointer, name: "options")
  let choice: FaceChoice = try known(
    value.choice, "options->choice", "; use FACE_CROP_ONLY_FACE or FACE_CROP_LARGEST_FACE")
  let crop = FaceCrop(
    size: PixelSize(width: Int(value.width), height: Int(value.height)),
    margin: value.margin == fill ? nil : value.margin, headroom: value.headroom,
    overflow: try known(
      value.overflow, "options->overflow", "; use FACE_CROP_FAIL, FACE_CROP_CLAMP or FACE_CROP_PAD"))
  try crop.validate()
  return (crop, choice)
}
