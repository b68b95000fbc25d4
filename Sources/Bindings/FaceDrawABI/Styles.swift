// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFaceEngine
public import CFaceEngineDraw
import CallerABI
import FaceCore
import Rendering

@c @implementation
public func face_draw_style_init_sized(_ style: UnsafeMutablePointer<face_draw_style>!, _ size: Int) {
  VersionedStruct.initialize(style, to: .defaults, size: size)
}

@c @implementation
public func face_draw_colour_of_id(_ id: UInt64) -> face_draw_colour { Colour(id: id).rgba }

extension face_draw_style {
  /// The defaults of members that a caller's header does not have.
  fileprivate static var defaults: face_draw_style {
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
    value.fill_colour = defaults.fillColour.rgba
    value.mesh_width = defaults.meshWidth
    value.axis_width = defaults.axisWidth
    value.mesh_colour = defaults.meshColour.rgba
    value.contour_colour = defaults.contourColour.rgba
    value.left_colour = defaults.leftColour.rgba
    value.right_colour = defaults.rightColour.rgba
    return value
  }
}

extension FaceStyle {
  /// Reads a style; NULL gives the defaults. Throws `invalidArgument`, naming the member, and `unimplemented`
  /// for unknown marks.
  init(reading pointer: UnsafePointer<face_draw_style>?, for size: PixelSize) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    var value = face_draw_style.defaults
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
    meshWidth = value.mesh_width
    axisWidth = value.axis_width
    scalesToFaces = try flag(value.scale_to_faces, "style->scale_to_faces")
    coloursByID = try flag(value.colours_by_id, "style->colours_by_id")
    plates = try flag(value.plates, "style->plates")
    guard value.scale >= 0, value.scale <= 1000 else {
      throw Status(.invalidArgument, "style->scale is \(value.scale); give 0 to 1000")
    }
    let automatic = scalesToFaces ? 1 : FaceStyle.factor(for: size)
    self = scaled(by: value.scale == 0 ? automatic : value.scale)
    boxColour = Colour(rgba: value.box_colour)
    pointColour = Colour(rgba: value.point_colour)
    landmarkColour = Colour(rgba: value.landmark_colour)
    circleColour = Colour(rgba: value.circle_colour)
    textColour = Colour(rgba: value.text_colour)
    dimColour = Colour(rgba: value.dim_colour)
    fillColour = Colour(rgba: value.fill_colour)
    meshColour = Colour(rgba: value.mesh_colour)
    contourColour = Colour(rgba: value.contour_colour)
    leftColour = Colour(rgba: value.left_colour)
    rightColour = Colour(rgba: value.right_colour)
    antialias = try flag(value.antialias, "style->antialias")
    guard value.reserved == 0 else {
      throw Status(
        .invalidArgument, "style->reserved is \(value.reserved); call face_draw_style_init before use")
    }
    if value.font != nil { font = try text(value.font, "style->font") }
    try validate()
  }
}
