// The names are those of include/face_engine_draw.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
public import CFaceEngineDraw
import CallerABI
import FaceCore
import Imaging
import Rendering

@c @implementation
public func face_draw_faces(
  _ handle: OpaquePointer!, _ faces: UnsafePointer<face_info>!, _ count: UInt32,
  _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let style = try FaceStyle(reading: style, for: picture.canvas.size)
    let faces = try Face.array(faces, count)
    try picture.draw { (canvas) throws(Status) in canvas.draw(faces, style: style) }
  }
}

@c @implementation
public func face_draw_labelled_faces(
  _ handle: OpaquePointer!, _ faces: UnsafePointer<face_info>!,
  _ labels: UnsafePointer<UnsafePointer<CChar>?>!, _ count: UInt32, _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let style = try FaceStyle(reading: style, for: picture.canvas.size)
    let faces = try Face.array(faces, count)
    guard let labels = labels as UnsafePointer<UnsafePointer<CChar>?>? else {
      throw Status(.invalidArgument, "labels is NULL; pass an array with a text or NULL for each face")
    }
    var words: [String?] = []
    for index in faces.indices {
      guard let label = labels[index], label.pointee != 0 else {
        words.append(nil)
        continue
      }
      words.append(try text(label, "a label"))
    }
    try picture.draw { (canvas) throws(Status) in canvas.draw(faces, labels: words, style: style) }
  }
}

@c @implementation
public func face_draw_covers(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ faces: UnsafePointer<face_info>!,
  _ count: UInt32, _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let style = try FaceStyle(reading: style, for: picture.canvas.size)
    let boxes = try Face.array(faces, count).map(\.box)
    guard let image = image as UnsafePointer<face_image>? else {
      return try picture.draw { (canvas) throws(Status) in canvas.cover(boxes, style: style) }
    }
    let source = try TransparentPicture(try ImageInput(reading: image, "image"))
    try picture.draw { (canvas) throws(Status) in
      canvas.cover(boxes, style: style)
      canvas.draw(source, overCoversOf: boxes, style.cover)
    }
  }
}

@c @implementation
public func face_draw_landmarks(
  _ handle: OpaquePointer!, _ points: UnsafePointer<face_landmark>!, _ count: UInt32,
  _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    var style = try FaceStyle(reading: style, for: picture.canvas.size)
    guard let points = points as UnsafePointer<face_landmark>?, Int(count) == Landmarks.count else {
      throw Status(
        .invalidArgument,
        "points is NULL or count is not \(Landmarks.count); pass all points of FACE_REGION_ALL_POINTS")
    }
    style.marks.formIntersection(.ofLandmarks)
    if style.marks.isEmpty { style.marks = .landmarkLines }
    var face = Face(box: Box(x: 0, y: 0, width: 0, height: 0), confidence: 0, points: nil)
    face.landmarks = Landmarks(
      points: UnsafeBufferPointer(start: points, count: Landmarks.count).map {
        Point3D(x: $0.x, y: $0.y, z: $0.z)
      }, confidence: 1)
    try picture.draw { (canvas) throws(Status) in canvas.draw([face], style: style) }
  }
}

@c @implementation
public func face_draw_mask(
  _ handle: OpaquePointer!, _ circle: UnsafePointer<face_circle>!, _ hollow: UInt32,
  _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let style = try FaceStyle(reading: style, for: picture.canvas.size)
    guard let circle else { throw Status(.invalidArgument, "circle is NULL; pass a circle") }
    let hollow = try flag(hollow, "hollow")
    try picture.draw { (canvas) throws(Status) in
      canvas.drawMask(Circle(circle.pointee), hollow: hollow, style: style)
    }
  }
}

@c @implementation
public func face_draw_text(
  _ handle: OpaquePointer!, _ words: UnsafePointer<CChar>!, _ place: face_point, _ anchor: face_draw_anchor,
  _ style: UnsafePointer<face_draw_style>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    let style = try FaceStyle(reading: style, for: picture.canvas.size)
    guard let words else { throw Status(.invalidArgument, "text is NULL; pass a text") }
    let anchor: Canvas.TextAnchor = try known(anchor, "anchor", "; use one of FACE_DRAW_ANCHOR_...")
    guard words.pointee != 0 else { return }
    let line = try text(words, "text")
    try picture.draw { (canvas) throws(Status) in
      canvas.setAntialias(style.antialias)
      canvas.drawText(
        line, at: Point(place), size: style.textSize, anchor: anchor, colour: style.textColour,
        font: style.font)
    }
  }
}

@c @implementation
public func face_draw_image(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ box: UnsafePointer<face_box>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    guard let box else { throw Status(.invalidArgument, "box is NULL; pass a box") }
    let place = Box(box.pointee)
    let source = try TransparentPicture(try ImageInput(reading: image, "image"))
    try picture.draw { (canvas) throws(Status) in canvas.drawImage(source, in: place) }
  }
}

@c @implementation
public func face_draw_overlay_options_init_sized(
  _ options: UnsafeMutablePointer<face_draw_overlay_options>!, _ size: Int
) {
  VersionedStruct.initialize(options, size: size)
}

extension face_draw_overlay_options: SizedStruct {
  package static var defaults: face_draw_overlay_options {
    let defaults = Overlay()
    var value = face_draw_overlay_options()
    value.left_eye = face_point(defaults.leftEye)
    value.right_eye = face_point(defaults.rightEye)
    return value
  }
}

@c @implementation
public func face_draw_overlay(
  _ handle: OpaquePointer!, _ overlay: UnsafePointer<face_image>!, _ face: UnsafePointer<face_info>!,
  _ options: UnsafePointer<face_draw_overlay_options>!
) -> face_status {
  LastError.status { () throws(Status) in
    let picture = try Handles.pictures.get(handle, "picture")
    var face = try Face(reading: face, "face")
    let (placement, transform) = try Overlay.reading(options)
    face.transform = transform
    let source = try TransparentPicture(try ImageInput(reading: overlay, "overlay"))
    try picture.draw { (canvas) throws(Status) in try canvas.drawOverlay(source, placement, on: face) }
  }
}

extension Overlay {
  /// Reads an overlay's placement and the face's transform. NULL gives the defaults. Throws
  /// `invalidArgument`.
  fileprivate static func reading(
    _ pointer: UnsafePointer<face_draw_overlay_options>?
  ) throws(Status) -> (Overlay, HeadTransform?) {
    var overlay = Overlay()
    guard pointer != nil else { return (overlay, nil) }
    let value = try VersionedStruct.read(pointer, name: "options")
    overlay.leftEye = Point(value.left_eye)
    overlay.rightEye = Point(value.right_eye)
    overlay.isMirrored = try flag(value.mirrored, "options->mirrored")
    guard value.arms <= 0.45 else {
      throw Status(.invalidArgument, "options->arms is \(value.arms); give at most 0.45")
    }
    overlay.arms = value.arms
    try unused(value.reserved, "options->reserved")
    guard let numbers = value.transform else { return (overlay, nil) }
    let rows = (0..<3).map { row in
      SIMD4(numbers[4 * row], numbers[4 * row + 1], numbers[4 * row + 2], numbers[4 * row + 3])
    }
    return (overlay, HeadTransform(x: rows[0], y: rows[1], z: rows[2]))
  }
}
