// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_result_count(_ handle: OpaquePointer!) -> UInt32 {
  UInt32(clamping: ResultBox.of(handle)?.faces.count ?? 0)
}

@c @implementation
public func face_result_status(
  _ handle: OpaquePointer!, _ out_message: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> face_status {
  var status = StatusCode.ok.rawValue
  let call = LastError.catching { () throws(Status) in
    let box = try Handles.results.get(handle, "result")
    guard let message = box.message else { return }
    status = box.code.rawValue
    out_message?.pointee = message.pointer
  }
  return call == StatusCode.ok.rawValue ? status : call
}

@c @implementation
public func face_result_get(
  _ handle: OpaquePointer!, _ index: UInt32, _ out_info: UnsafeMutablePointer<face_info>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let result = try Handles.results.get(handle, "result")
    try VersionedStruct.write(
      face_info(try result.face(index), in: try result.imageSize()), to: out_info, name: "out_info")
  }
}

@c @implementation
public func face_result_image_size(
  _ handle: OpaquePointer!, _ out_width: UnsafeMutablePointer<UInt32>!,
  _ out_height: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let size = try Handles.results.get(handle, "result").imageSize()
    out_width?.pointee = UInt32(clamping: size.width)
    out_height?.pointee = UInt32(clamping: size.height)
  }
}

@c @implementation
public func face_model_init_sized(_ model: UnsafeMutablePointer<face_model>!, _ size: Int) {
  VersionedStruct.initialize(model, size: size)
}

@c @implementation
public func face_result_model_count(_ handle: OpaquePointer!) -> UInt32 {
  UInt32(clamping: ResultBox.of(handle)?.models.count ?? 0)
}

@c @implementation
public func face_result_unanalysed_count(_ handle: OpaquePointer!) -> UInt32 {
  UInt32(clamping: ResultBox.of(handle)?.unanalysedFaces ?? 0)
}

@c @implementation
public func face_result_model(
  _ handle: OpaquePointer!, _ index: UInt32, _ out_model: UnsafeMutablePointer<face_model>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let models = try Handles.results.get(handle, "result").models
    guard Int(index) < models.count else {
      throw Status(.outOfRange, "index is \(index), but there are \(models.count) models; indices begin at 0")
    }
    try VersionedStruct.write(face_model(models[Int(index)]), to: out_model, name: "out_model")
  }
}

@c @implementation
public func face_result_destroy(_ handle: OpaquePointer!) {
  Thread.withoutCancellation { _ = Handles.results.remove(handle) }
}

@c @implementation
public func face_info_init_sized(_ info: UnsafeMutablePointer<face_info>!, _ size: Int) {
  VersionedStruct.initialize(info, size: size)
}

/// The object behind a `face_result`.
final class ResultBox: Sendable {
  private let outcome: Result<DetectionResult, Status>
  /// Why the image failed, as a C string; `nil` for a result.
  let message: CText?

  init(_ outcome: Result<DetectionResult, Status>) {
    self.outcome = outcome
    message =
      switch outcome {
      case .success: nil
      case .failure(let status): CText(status.message)
      }
  }

  /// The result of a handle; `nil` for NULL or a handle of no result.
  static func of(_ handle: OpaquePointer?) -> ResultBox? {
    Thread.withoutCancellation { try? Handles.results.get(handle, "result") }
  }

  var code: StatusCode {
    switch outcome {
    case .success: .ok
    case .failure(let status): status.code
    }
  }

  var faces: [Face] { (try? outcome.get())?.faces ?? [] }

  var models: [ModelIdentity] { (try? outcome.get())?.models ?? [] }

  var unanalysedFaces: Int { (try? outcome.get())?.unanalysedFaces ?? 0 }

  /// Throws `failedPrecondition` if the image failed.
  func imageSize() throws(Status) -> PixelSize {
    switch outcome {
    case .success(let result): return result.imageSize
    case .failure(let status):
      throw Status(.failedPrecondition, "this image has no result: \(status.message)")
    }
  }

  /// Throws `outOfRange` if there is no such face.
  func face(_ index: UInt32) throws(Status) -> Face {
    guard Int(index) < faces.count else {
      throw Status(.outOfRange, "index is \(index), but there are \(faces.count) faces; indices begin at 0")
    }
    return faces[Int(index)]
  }
}

extension face_info {
  /// Sets the bit of each measurement that the face has.
  init(_ face: Face, in image: PixelSize) {
    self.init()
    box = face_box(face.box)
    clamped_box = face_box(face.box.clamped(to: image))
    confidence = face.confidence
    if let points = face.points { set(points) }
    if let track = face.track {
      valid |= UInt32(FACE_VALID_ID)
      id = track.id
      frame_count = track.frameCount
    }
    predicted = face.isPredicted ? 1 : 0
    if let pose = face.pose {
      (yaw, pitch, roll) = (pose.yaw, pose.pitch, pose.roll)
    }
    if let eyes = face.eyes {
      (left_eye_open, right_eye_open) = (eyes.leftOpen, eyes.rightOpen)
    }
    if let mouth = face.mouth {
      (smile, mouth_open) = (mouth.smile, mouth.open)
    }
    if let quality = face.quality { set(quality) }
    for row in FaceOutputs.table where row.isKnown(face) { valid |= row.output.rawValue }
  }

  private mutating func set(_ points: FivePoints) {
    valid |= UInt32(FACE_VALID_POINTS)
    left_eye = face_point(points.leftEye)
    right_eye = face_point(points.rightEye)
    nose_tip = face_point(points.noseTip)
    mouth_left = face_point(points.mouthLeft)
    mouth_right = face_point(points.mouthRight)
  }

  private mutating func set(_ measured: CaptureQuality) {
    quality = measured.overall
    sharpness = measured.sharpness
    exposure = measured.exposure
    size = measured.size
    frontality = measured.pose
    framing = measured.framing
  }
}

extension face_model {
  init(_ model: ModelIdentity) {
    self.init()
    revision = UInt32(clamping: model.revision)
    withUnsafeMutableBytes(of: &name) { name in
      // The last byte stays NUL. A character that would be cut is left out.
      var text = model.name
      while text.utf8.count >= name.count { text.removeLast() }
      name.copyBytes(from: text.utf8)
    }
    withUnsafeMutableBytes(of: &weights_sha256) { $0.copyBytes(from: model.weightsHash.prefix($0.count)) }
  }
}
