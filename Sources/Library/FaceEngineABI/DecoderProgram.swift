import Decoders
import FaceCore
import Posix

/// The program `face-engine` for this library, which starts decoders for it, and is started again when it is lost.
enum DecoderProgram {
  /// Starts the program. Throws `notFound` if there is none.
  static func decoder() throws(Status) -> any FileDecoder {
    guard let program = places.first(where: { FileSystem.isProgram($0) }) else {
      throw Status(
        .notFound,
        "decoder_process needs the program face-engine, which is neither beside this library nor in PATH; install it, or set "
          + "FACE_ENGINE_PROGRAM to its path")
    }
    let pool = try DecoderPool(program: program, takesAllKinds: true, isDetached: true, startsAgain: true)
    return pool.decoder(for: CurrentProcess.user)
  }

  private static var places: [String] {
    if let named = Environment.value("FACE_ENGINE_PROGRAM") { return [named] }
    var folders: [String] = []
    if let library = CurrentProcess.ownFile {
      // As in a build, in PREFIX/lib, and in PREFIX/lib/TRIPLET.
      let folder = library.split(separator: "/").dropLast()
      folders = [Array(folder), folder.dropLast() + ["bin"], folder.dropLast(2) + ["bin"]]
        .map { "/" + $0.joined(separator: "/") }
    }
    folders += (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
    return folders.map { "\($0)/face-engine" }
  }
}
