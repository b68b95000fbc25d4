// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine

@c @implementation
public func face_set_log_callback(
  _ callback: face_log_callback!, _ max_level: face_log_level, _ user_data: UnsafeMutableRawPointer!
) {
  guard let callback = callback as face_log_callback? else { return Log.set(nil, maxLevel: 0) }
  Log.set(Log.Sink(callback: callback, userData: user_data), maxLevel: max_level)
}
