import CFaceEngine
import FaceCore

extension face_info {
  /// What is known of a face has its bit set.
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
    if let pose = face.pose {
      valid |= UInt32(FACE_VALID_POSE)
      (yaw, pitch, roll) = (pose.yaw, pose.pitch, pose.roll)
    }
    if let eyes = face.eyes {
      valid |= UInt32(FACE_VALID_EYES)
      (left_eye_open, right_eye_open) = (eyes.leftOpen, eyes.rightOpen)
    }
    if let mouth = face.mouth {
      valid |= UInt32(FACE_VALID_MOUTH)
      (smile, mouth_open) = (mouth.smile, mouth.open)
    }
    if let quality = face.quality { set(quality) }
    if face.landmarks != nil { valid |= UInt32(FACE_VALID_LANDMARKS) }
    if face.expressions != nil { valid |= UInt32(FACE_VALID_EXPRESSIONS) }
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
    valid |= UInt32(FACE_VALID_QUALITY)
    quality = measured.overall
    sharpness = measured.sharpness
    exposure = measured.exposure
    size = measured.size
    frontality = measured.pose
    framing = measured.framing
  }
}
