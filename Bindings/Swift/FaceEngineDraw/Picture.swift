internal import CFaceEngine
internal import CFaceEngineDraw
public import FaceEngine

/// A picture to draw on: an upright copy of an image. It frees itself at the end of its scope. One task or thread at a
/// time uses it.
public struct Picture: ~Copyable {
  private let handle: Handle
  private var c: OpaquePointer { handle.c }

  /// Copies an image, with its orientation and mirroring applied, so that its faces' positions are those of the
  /// picture. A file's colour profile, resolution and transparency are kept for ``save(_:)``.
  public init(_ image: Image) throws(FaceError) {
    handle = try image.withC { image throws(FaceError) in
      try Handle(face_picture_destroy) { c throws(FaceError) in try drawn(face_picture_create(image, &c)) }
    }
  }

  /// Crops a face, centred as far as the picture reaches: an avatar.
  ///
  /// Fails with `notFound` if there is no face, with `failedPrecondition` if there are several and one is
  /// expected, and with `outOfRange` if the face does not fit: see ``CropOptions/overflow``.
  public init(
    portraitFrom image: Image, of faces: Faces, options: CropOptions = CropOptions()
  ) throws(FaceError) {
    let infos = faces.map(\.c)
    handle = try image.withC { image throws(FaceError) in
      try options.withC { options throws(FaceError) in
        try Handle(face_picture_destroy) { c throws(FaceError) in
          try drawn(face_crop_portrait(image, infos, UInt32(infos.count), &options, &c))
        }
      }
    }
  }

  /// Crops a face with its eyes level and in fixed places, as face recognition networks expect it (ArcFace's template).
  /// - Parameter side: pixels of the square.
  public init(alignedFrom image: Image, of face: Face, side: Int = 112) throws(FaceError) {
    var info = face.c
    handle = try image.withC { image throws(FaceError) in
      try Handle(face_picture_destroy) { c throws(FaceError) in
        try drawn(face_crop_aligned(image, &info, try number(side, "side"), &c))
      }
    }
  }

  // MARK: Draw

  /// Draws faces, and a label at each.
  /// - Parameter labels: of each face; empty, or none for the last faces, for a face without one.
  public mutating func draw(
    _ faces: some Collection<Face>, labels: [String] = [], style: DrawStyle = DrawStyle()
  ) throws(FaceError) {
    let infos = faces.map(\.c)
    let labels = infos.indices.map { $0 < labels.count ? labels[$0] : "" }
    try style.withC { style throws(FaceError) in
      if style.marks & Marks.covers.rawValue != 0 {
        try drawn(face_draw_covers(c, nil, infos, UInt32(infos.count), &style))
        style.marks &= ~Marks.covers.rawValue
      }
      if style.marks & Marks.allLandmarks.rawValue != 0 {
        for case let landmarks? in faces.lazy.map(\.landmarks) {
          try drawn(face_draw_landmarks(c, landmarks.points.map(\.c), UInt32(landmarks.points.count), &style))
        }
      }
      try withCStrings(labels) { labels throws(FaceError) in
        try drawn(face_draw_labelled_faces(c, infos, labels, UInt32(infos.count), &style))
      }
    }
  }

  /// Covers faces and draws no other mark: blurred, or pixelated if the style's marks contain ``Marks/pixelate``.
  /// - Parameter image: drawn over each cover, as large as needed.
  public mutating func cover(
    _ faces: some Collection<Face>, with image: Image? = nil, style: DrawStyle = DrawStyle()
  ) throws(FaceError) {
    let infos = faces.map(\.c)
    try style.withC { style throws(FaceError) in
      guard let image else { return try drawn(face_draw_covers(c, nil, infos, UInt32(infos.count), &style)) }
      try image.withC { image throws(FaceError) in
        try drawn(face_draw_covers(c, image, infos, UInt32(infos.count), &style))
      }
    }
  }

  /// Draws the circle that a face should be held into.
  /// - Parameter hollow: whether the picture outside the circle is dimmed.
  public mutating func draw(
    _ mask: Circle, hollow: Bool = false, style: DrawStyle = DrawStyle()
  ) throws(FaceError) {
    var circle = mask.c
    try style.withC { style throws(FaceError) in
      try drawn(face_draw_mask(c, &circle, hollow ? 1 : 0, &style))
    }
  }

  /// Draws a line of text with its baseline at a point.
  public mutating func draw(
    _ text: String, at point: Point, anchor: TextAnchor = .left, style: DrawStyle = DrawStyle()
  ) throws(FaceError) {
    try withCString(text) { text throws(FaceError) in
      try style.withC { style throws(FaceError) in
        try drawn(face_draw_text(c, text, point.c, anchor.rawValue, &style))
      }
    }
  }

  /// Draws an image so that it fills a box, with its transparency, if it has any.
  public mutating func draw(_ image: Image, in box: Box) throws(FaceError) {
    var box = box.c
    try image.withC { image throws(FaceError) in try drawn(face_draw_image(c, image, &box)) }
  }

  /// Draws an image with transparency, such as a pair of glasses, on a face: in the head's perspective if its transform
  /// or pose was requested, otherwise by its eyes.
  public mutating func draw(
    overlay: Image, on face: Face, options: OverlayOptions = OverlayOptions()
  ) throws(FaceError) {
    var info = face.c
    try overlay.withC { overlay throws(FaceError) in
      try options.withC { options throws(FaceError) in
        try withArray(face.transform) { transform throws(FaceError) in
          options.transform = transform?.baseAddress
          try drawn(face_draw_overlay(c, overlay, &info, &options))
        }
      }
    }
  }

  // MARK: Read

  /// The size in pixels.
  public var size: Size {
    var image = face_image()
    face_image_init(&image)
    face_picture_image(c, &image)
    return Size(width: Int(image.width), height: Int(image.height))
  }

  /// Saves the picture: PNG, JPEG or WebP, by the extension of the path. An existing file is replaced atomically.
  public func save(_ path: String) throws(FaceError) {
    try withCString(path) { path throws(FaceError) in try drawn(face_picture_save(c, path)) }
  }

  /// The picture's pixels, without padding.
  /// - Parameter format: RGBA, BGRA, RGB, BGR or grey.
  public func pixels(_ format: PixelFormat = .rgba) throws(FaceError) -> [UInt8] {
    let layout = PixelLayout(format, width: size.width, height: size.height)
    var pixels = [UInt8](repeating: 0, count: layout.byteCount)
    try drawn(face_picture_copy(c, format.rawValue, 0, &pixels, pixels.count))
    return pixels
  }
}

/// Throws the failure of a call to the drawing library.
private func drawn(_ status: face_status) throws(FaceError) {
  try check(status) { face_draw_last_error() }
}

/// A colour.
public struct DrawColour: Sendable, Hashable {
  /// 0xRRGGBBAA.
  public let rawValue: UInt32

  /// - Parameter rawValue: 0xRRGGBBAA.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: a name of CSS, such as "orange", or hexadecimal digits: "RRGGBB", "#RRGGBBAA".
  public init(_ text: String) throws(FaceError) {
    var colour: face_draw_colour = 0
    try withCString(text) { text throws(FaceError) in try drawn(face_draw_colour_from_text(text, &colour)) }
    rawValue = colour
  }

  /// The colour of a followed face, far from those of the ids before and after it.
  public init(ofID id: UInt64) { rawValue = face_draw_colour_of_id(id) }
}
