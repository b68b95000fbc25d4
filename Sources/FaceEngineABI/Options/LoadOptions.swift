import CFaceEngine
import FaceCore

/// A `face_load_options` that was checked.
struct LoadOptions {
  var threadsPerFrame = 1
  var maxInputPixels = Int.max

  init() {}

  /// NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_load_options>?) throws(Status) {
    guard pointer != nil else { return }
    var value = face_load_options()
    try VersionedStruct.read(pointer, into: &value, name: "options")
    guard 1...16 ~= value.threads_per_frame else {
      throw Status(
        .invalidArgument, "options->threads_per_frame is \(value.threads_per_frame); give 1 to 16")
    }
    threadsPerFrame = Int(value.threads_per_frame)
    if value.max_input_pixels > 0 { maxInputPixels = Int(clamping: value.max_input_pixels) }
  }
}
