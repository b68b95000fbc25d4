import FaceCore
import Foundation
import TestSupport

/// Photos of MPLab's GENKI-4K, which are labelled as smiling or not.
enum LabelledSmiles {
  /// A folder beside the checkout.
  static let folder = "../shared/data/smile_pose"

  static let areThere: Bool = {
    if FileManager.default.fileExists(atPath: "\(Fixture.repository)/\(folder)") { return true }
    FileHandle.standardError.write(
      Data(
        "SKIPPED: the action SMILE and other people in the same place on real faces, because \(folder) is not there\n"
          .utf8))
    return false
  }()

  private struct Label: Decodable {
    let image: String
    let smile: Int
  }

  static func paths(smiling: Bool) throws -> [String] {
    let labels = try JSONDecoder().decode([Label].self, from: Data(Fixture.bytes("\(folder)/labels.json")))
    return labels.filter { ($0.smile != 0) == smiling }.map { "\(folder)/\($0.image)" }
  }

  /// The side of `picture` in pixels.
  static let side = 288

  /// The photo, cropped close to the face, in the middle of a grey picture.
  static func picture(_ image: String) throws -> Picture {
    let photo = try Fixture.bytes(image).decoded()
    let (left, above) = ((side - photo.size.width) / 2, (side - photo.size.height) / 2)
    return Picture(side, side) { x, y in
      (0..<photo.size.width).contains(x - left) && (0..<photo.size.height).contains(y - above)
        ? photo[x - left, y - above] : RGB(128, 128, 128)
    }
  }
}
