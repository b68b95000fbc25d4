import CFaceEngine
import FaceCore

extension CheckReport {
  /// Calls the listener's `on_check` for each event.
  /// - Parameter result: the frame's result; `nil` if the frame failed.
  func notify(_ functions: face_listener, _ frame: inout face_frame, _ result: DetectionResult?) {
    guard let function = functions.on_check else { return }
    for event in events {
      var check = face_check()
      check.struct_size = UInt32(MemoryLayout<face_check>.stride)
      check.state = state.rawValue
      check.tip = tip.rawValue
      check.progress = progress
      check.actions_done = UInt32(clamping: actionsDone)
      check.action_count = UInt32(clamping: actionCount)
      check.attempt = attempt
      check.circle = face_circle(x: circle.center.x, y: circle.center.y, radius: circle.radius)
      check.text = tip.text.cString
      event.fill(&check, result) { check in function(&frame, &check, functions.user_data) }
    }
  }
}

extension CheckEvent {
  /// Fills `check` and calls `body` with it. Its pointers are valid until `body` returns.
  fileprivate func fill(
    _ check: inout face_check, _ result: DetectionResult?, _ body: (inout face_check) -> Void
  ) {
    switch self {
    case .status(let state):
      check.event = face_check_event(FACE_CHECK_EVENT_STATUS)
      check.state = state.rawValue
      body(&check)
    case .tip(let tip):
      check.event = face_check_event(FACE_CHECK_EVENT_TIP)
      (check.tip, check.text) = (tip.rawValue, tip.text.cString)
      body(&check)
    case .draw(let index):
      guard let result, result.faces.indices.contains(index) else { return }
      check.event = face_check_event(FACE_CHECK_EVENT_DRAW)
      check.withFace(result.faces[index], result.imageSize, body)
    case .clear:
      check.event = face_check_event(FACE_CHECK_EVENT_CLEAR)
      body(&check)
    case .result(let taken): taken.fill(&check, body)
    case .failed(let failure): failure.fill(&check, body)
    }
  }
}

extension CheckResult {
  fileprivate func fill(_ check: inout face_check, _ body: (inout face_check) -> Void) {
    check.event = face_check_event(FACE_CHECK_EVENT_RESULT)
    check.crop_box = face_box(cropBox)
    check.withFace(face, picture.size) { check in
      picture.withFaceImage { whole in
        crop.withFaceImage { square in
          (check.picture, check.crop) = (whole, square)
          body(&check)
        }
      }
    }
  }
}

extension CheckFailure {
  fileprivate func fill(_ check: inout face_check, _ body: (inout face_check) -> Void) {
    check.event = face_check_event(FACE_CHECK_EVENT_FAILED)
    code.withCString { code in
      message.withCString { message in
        (check.code, check.message) = (code, message)
        body(&check)
      }
    }
  }
}

extension face_check {
  /// Calls `body` with a handle for the face, which is valid until `body` returns.
  fileprivate mutating func withFace(
    _ face: Face, _ size: PixelSize, _ body: (inout face_check) -> Void
  ) {
    faces = Handles.results.insert(ResultBox(.success(DetectionResult(imageSize: size, faces: [face]))))
    body(&self)
    _ = Handles.results.remove(faces)
  }
}

extension CheckPicture {
  /// Calls `body` with the picture as a `face_image` of pixels, which is valid until `body` returns.
  fileprivate func withFaceImage(_ body: (UnsafePointer<face_image>) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var image = face_image(pixels: bytes, size)
      body(&image)
    }
  }
}

extension face_image {
  /// An upright image of BGRA pixels whose rows have no gap.
  init(pixels: UnsafeRawBufferPointer, _ size: PixelSize) {
    self.init()
    struct_size = UInt32(MemoryLayout<face_image>.stride)
    format = face_format(FACE_FORMAT_BGRA)
    (width, height) = (UInt32(size.width), UInt32(size.height))
    planes.0 = pixels.baseAddress
    plane_sizes.0 = pixels.count
    strides.0 = size.width * 4
    orientation = face_orientation(FACE_ORIENTATION_UP)
  }
}

extension face_listener {
  /// The listener without all functions but `on_check`.
  init(onlyChecksOf listener: face_listener) {
    self.init()
    on_check = listener.on_check
    user_data = listener.user_data
  }
}
