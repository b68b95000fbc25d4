// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFaceEngine
public import CFaceEngineDraw
import CallerABI
import FaceCore
import Rendering

@c @implementation
public func face_draw_style_init_sized(_ style: UnsafeMutablePointer<face_draw_style>!, _ size: Int) {
  VersionedStruct.initialize(style, size: size)
}

@c @implementation
public func face_draw_colour_of_id(_ id: UInt64) -> face_draw_colour { Colour(id: id).rgba }

@c @implementation
public func face_draw_colour_from_text(
  _ text: UnsafePointer<CChar>!, _ out_colour: UnsafeMutablePointer<face_draw_colour>!
) -> face_status {
  LastError.status { () throws(Status) in
    guard let text, let out_colour else {
      throw Status(.invalidArgument, "text or out_colour is NULL; pass a text, and a variable for its colour")
    }
    let given = String(cString: text)
    guard let colour = Colour(text: given) else {
      let names = Colour.named.keys.sorted().joined(separator: ", ")
      throw Status(
        .invalidArgument, "\(given.quoted) is not a colour; give #RRGGBB, #RRGGBBAA or one of \(names)")
    }
    out_colour.pointee = colour.rgba
  }
}

/// The members that both structs have.
private enum StyleMembers {
  typealias Pair<Member, Own> = (WritableKeyPath<face_draw_style, Member>, WritableKeyPath<FaceStyle, Own>)

  nonisolated(unsafe) static let lengths: [Pair<Float, Float>] = [
    (\.box_width, \.boxWidth),
    (\.point_size, \.pointSize),
    (\.line_width, \.lineWidth),
    (\.landmark_size, \.landmarkSize),
    (\.circle_width, \.circleWidth),
    (\.text_size, \.textSize),
    (\.mesh_width, \.meshWidth),
    (\.axis_width, \.axisWidth),
  ]
  nonisolated(unsafe) static let colours: [Pair<face_draw_colour, Colour>] = [
    (\.box_colour, \.boxColour),
    (\.point_colour, \.pointColour),
    (\.landmark_colour, \.landmarkColour),
    (\.circle_colour, \.circleColour),
    (\.text_colour, \.textColour),
    (\.dim_colour, \.dimColour),
    (\.fill_colour, \.fillColour),
    (\.mesh_colour, \.meshColour),
    (\.contour_colour, \.contourColour),
    (\.left_colour, \.leftColour),
    (\.right_colour, \.rightColour),
    (\.cover_colour, \.cover.colour),
  ]
}

extension face_draw_style: SizedStruct {
  package static var defaults: face_draw_style {
    let defaults = FaceStyle()
    var value = face_draw_style()
    value.marks = defaults.marks.rawValue
    for (member, own) in StyleMembers.lengths { value[keyPath: member] = defaults[keyPath: own] }
    for (member, own) in StyleMembers.colours { value[keyPath: member] = defaults[keyPath: own].rgba }
    value.scale = 1
    value.antialias = 1
    value.cover_cells = UInt32(defaults.cover.cells)
    value.cover_margin = defaults.cover.margin
    return value
  }
}

extension FaceStyle {
  /// Reads a style; NULL gives the defaults. Throws `invalidArgument`, naming the member, and `unimplemented`
  /// for unknown marks.
  init(reading pointer: UnsafePointer<face_draw_style>?, for size: PixelSize) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    let value = try VersionedStruct.read(pointer, name: "style")
    marks = Marks(rawValue: value.marks)
    guard Marks.all.isSuperset(of: marks) else {
      throw Status(
        .unimplemented, "style->marks has bits that this version does not know; install a newer library")
    }
    for (member, own) in StyleMembers.lengths { self[keyPath: own] = value[keyPath: member] }
    scalesToFaces = try flag(value.scale_to_faces, "style->scale_to_faces")
    coloursByID = try flag(value.colours_by_id, "style->colours_by_id")
    plates = try flag(value.plates, "style->plates")
    guard value.scale >= 0, value.scale <= 1000 else {
      throw Status(.invalidArgument, "style->scale is \(value.scale); give 0 to 1000")
    }
    let automatic = scalesToFaces ? 1 : FaceStyle.factor(for: size)
    self = scaled(by: value.scale == 0 ? automatic : value.scale)
    for (member, own) in StyleMembers.colours { self[keyPath: own] = Colour(rgba: value[keyPath: member]) }
    antialias = try flag(value.antialias, "style->antialias")
    try unused(value.reserved, "style->reserved")
    cover.cells = Int(value.cover_cells)
    cover.margin = value.cover_margin
    cover.shape = try known(
      value.cover_shape, "style->cover_shape", "; use FACE_DRAW_COVER_ELLIPSE or FACE_DRAW_COVER_BOX")
    if value.font != nil { font = try text(value.font, "style->font") }
    try validate()
  }
}
