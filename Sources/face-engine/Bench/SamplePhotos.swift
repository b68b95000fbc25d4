import ArgumentParser
import FaceCore
import ModelStore
import Posix

/// The photos that are searched when none is named.
enum SamplePhotos {
  /// Those of the checkout that the models lie in. Where there are none, it is wrong usage to name none.
  static func paths() throws -> [String] {
    let folder = (try? ModelCatalog.standard()).flatMap {
      FileSystem.resolved("\($0.path)/../Examples/photos")
    }
    let names = folder.flatMap { try? FileSystem.names(in: $0) } ?? []
    let photos = names.filter { name in [".jpg", ".png", ".webp"].contains(where: name.hasSuffix) }
    guard let folder, !photos.isEmpty else {
      throw ValidationError("There are no sample photos here; name at least one image.")
    }
    return photos.map { "\(folder)/\($0)" }
  }
}
