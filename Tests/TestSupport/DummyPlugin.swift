import Glibc

/// The plug-in of Tests/CTests/plugin/dummy.c.
public enum DummyPlugin {
  /// What is wrong with its table; see the file.
  public enum Fault: Int, CaseIterable, Sendable {
    case none, noEntry, otherInterface, shortTable, noFunction, noName
  }

  /// The compiler was not there, or failed.
  private struct CompilerFailure: Error {
    let status: Int32
  }

  /// Compiles it into `folder`, as the plug-in `name`; returns its path.
  public static func make(in folder: TemporaryFolder, name: String = "dummy", _ fault: Fault = .none) throws
    -> String
  {
    let path = folder.path("libfaceengine-\(name).so.1")
    let command = [
      "cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DFAULT=\(fault.rawValue)",
      "-I\(Fixture.repository)/include", "\(Fixture.repository)/Tests/CTests/plugin/dummy.c", "-o", path,
    ]
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    defer { words.forEach { free($0) } }
    var (id, status): (pid_t, Int32) = (0, 0)
    let code = posix_spawnp(&id, command[0], nil, nil, words, environ)
    guard code == 0, waitpid(id, &status, 0) == id, status == 0 else {
      throw CompilerFailure(status: code == 0 ? status : code)
    }
    return path
  }
}
