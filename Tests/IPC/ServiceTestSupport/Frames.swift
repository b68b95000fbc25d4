public import FaceCore
import Wire

/// Frames that tests send.
public enum Frames {
  public static func detect(_ stream: UInt32, _ file: [UInt8] = [7], timeout: TimeSpan = .zero) throws
    -> [UInt8]
  {
    try file.withUnsafeBytes { bytes in
      try DetectCall.requestFrame(
        CallHeader(stream: stream, timeout: timeout), ImageInput(.encoded(bytes)), DetectionOptions())
    }
  }

  public static func health(_ stream: UInt32) throws -> [UInt8] {
    try HealthCall.requestFrame(CallHeader(stream: stream), "")
  }

  public static func header(_ length: UInt32, _ stream: UInt32, type: UInt8 = 1, flags: UInt8 = 0) -> [UInt8] {
    [UInt8](capacity: 10) {
      FrameHeader(length: length, stream: stream, type: type, flags: FrameFlags(rawValue: flags)).encode(
        to: &$0)
    }
  }
}
