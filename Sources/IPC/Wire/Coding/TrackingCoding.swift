import CProtocol
import FaceCore

/// `Tracking` ↔ `TrackingOptions`. Absent fields have the defaults of the side that decodes.
enum TrackingCoding {
  static func encode(
    _ options: TrackingOptions, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Tracking> {
    let message = arena.message(Faceengine__V1__Tracking.self)
    message.pointee.optional_max_missed_frames_case =
      FACEENGINE__V1__TRACKING__OPTIONAL_MAX_MISSED_FRAMES_MAX_MISSED_FRAMES
    message.pointee.max_missed_frames = UInt32(clamping: options.maxMissedFrames)
    message.pointee.optional_detection_interval_case =
      FACEENGINE__V1__TRACKING__OPTIONAL_DETECTION_INTERVAL_DETECTION_INTERVAL
    message.pointee.detection_interval = UInt32(clamping: options.detectionInterval)
    // Left out if it has its default, so that recorded messages keep their bytes.
    if options.minHits != TrackingOptions().minHits {
      message.pointee.optional_min_hits_case = FACEENGINE__V1__TRACKING__OPTIONAL_MIN_HITS_MIN_HITS
      message.pointee.min_hits = UInt32(clamping: options.minHits)
    }
    if options.analysisRate != TrackingOptions().analysisRate {
      message.pointee.analysis_rate = options.analysisRate
    }
    message.pointee.followed_only = options.isFollowedOnly ? 1 : 0
    message.pointee.reidentify = options.reidentifies ? 1 : 0
    return message
  }

  /// Decodes the options; `nil` if faces are not tracked. Throws `invalidArgument`, naming the option, if a
  /// value is out of range.
  static func decode(_ message: Faceengine__V1__Tracking?) throws(Status) -> TrackingOptions? {
    guard let message else { return nil }
    var options = TrackingOptions()
    if message.optional_max_missed_frames_case.rawValue != 0 {
      options.maxMissedFrames = Int(message.max_missed_frames)
    }
    if message.optional_detection_interval_case.rawValue != 0 {
      options.detectionInterval = Int(message.detection_interval)
    }
    if message.optional_min_hits_case.rawValue != 0 { options.minHits = Int(message.min_hits) }
    options.analysisRate = message.analysis_rate
    options.isFollowedOnly = message.followed_only != 0
    options.reidentifies = message.reidentify != 0
    try options.validate()
    return options
  }
}
