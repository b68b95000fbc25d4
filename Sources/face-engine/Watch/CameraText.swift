import Capture
import FaceCore

/// Cameras, for people.
extension ListedCamera {
  /// The camera and a line for each of its modes.
  var text: String {
    (["\(path): \(name)"] + modes.map { "  " + $0.text }).joined(separator: "\n")
  }
}

extension ListedCamera.Mode {
  fileprivate var text: String {
    CameraText.mode(format, size, rate)
  }
}

extension OpenedCamera {
  var text: String { CameraText.mode(format, size, rate) }
}

private enum CameraText {
  static func mode(_ format: CameraFormat, _ size: PixelSize?, _ rate: Double?) -> String {
    var text = format.rawValue
    if let size { text += " \(size.width)x\(size.height)" }
    if let rate, rate < 1e6 {
      let tenths = Int((rate * 10).rounded())
      text += ", \(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " frames a second"
    }
    return text
  }
}
