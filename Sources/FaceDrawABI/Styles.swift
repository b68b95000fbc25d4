// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFaceEngine
public import CFaceEngineDraw
import CallerABI
import FaceCore
import Rendering

@c @implementation
public func face_draw_style_init_sized(_ style: UnsafeMutablePointer<face_draw_style>!, _ size: Int) {
  let defaults = FaceStyle()
  var value = face_draw_style()
  value.marks = defaults.marks.rawValue
  value.box_width = defaults.boxWidth
  value.point_size = defaults.pointSize
  value.line_width = defaults.lineWidth
  value.landmark_size = defaults.landmarkSize
  value.circle_width = defaults.circleWidth
  value.text_size = defaults.textSize
  value.scale = 1
  value.box_colour = defaults.boxColour.rgba
  value.point_colour = defaults.pointColour.rgba
  value.landmark_colour = defaults.landmarkColour.rgba
  value.circle_colour = defaults.circleColour.rgba
  value.text_colour = defaults.textColour.rgba
  value.dim_colour = defaults.dimColour.rgba
  value.antialias = 1
  VersionedStruct.initialize(style, to: value, size: size)
}

extension FaceStyle {
  /// NULL gives the defaults. Throws `invalidArgument`, naming the member, and `unimplemented` for unknown marks.
  init(reading pointer: UnsafePointer<face_draw_style>?, for size: PixelSize) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    var value = face_draw_style()
    try VersionedStruct.read(pointer, into: &value, name: "style")
    marks = Marks(rawValue: value.marks)
    guard Marks.all.isSuperset(of: marks) else {
      throw Status(
        .unimplemented, "style->marks has bits that this version does not know; install a newer library")
    }
    boxWidth = value.box_width
    pointSize = value.point_size
    lineWidth = value.line_width
    landmarkSize = value.landmark_size
    circleWidth = value.circle_width
    textSize = value.text_size
    guard value.scale >= 0, value.scale <= 1000 else {
      throw Status(.invalidArgument, "style->scale is \(value.scale); give 0 to 1000")
    }
    self = scaled(by: value.scale == 0 ? FaceStyle.factor(for: size) : value.scale)
    boxColour = Colour(rgba: value.box_colour)
    pointColour = Colour(rgba: value.point_colour)
    landmarkColour = Colour(rgba: value.landmark_colour)
    circleColour = Colour(rgba: value.circle_colour)
    textColour = Colour(rgba: value.text_colour)
    dimColour = Colour(rgba: value.dim_colour)
    antialias = try flag(value.antialias, "style->antialias")
    guard value.reserved == 0 else {
      throw Status(
        .invalidArgument, "style->reserved is \(value.reserved); call face_draw_style_init before use")
    }
    if value.font != nil { font = try text(value.font, "style->font") }
    try validate()
  }
}
