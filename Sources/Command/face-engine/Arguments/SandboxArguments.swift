import ArgumentParser
import FaceCore
import Logging
import Posix

/// The flag for restricting a command's process before it reads untrusted data.
struct SandboxArguments: ParsableArguments {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @Option(
    help:
      "Before reading pictures, permanently give up access that this process does not need, where the kernel supports that: to other files, networks, programs and system calls. off is for debuggers, and for plug-ins that open devices."
  )
  var sandbox = Mode.on

  /// Enters the sandbox that `make` returns, unless it is turned off. Called on the main thread before there
  /// is any other.
  func enter(_ make: () -> Sandbox) -> Sandbox.Restrictions {
    // In the sandbox the files of control groups are out of reach.
    _ = ControlGroups.current
    return sandbox == .on ? make().enter() : []
  }

  /// Applies the second part of a sandbox that `filtersLater`.
  func filterCalls(_ sandbox: Sandbox, isClient: Bool) {
    guard self.sandbox == .on else { return }
    var sandbox = sandbox
    if isClient { sandbox.needs.insert(.client) }
    if CommandDecoder.current != nil { sandbox.needs.insert(.decoders) }
    _ = sandbox.filterCalls()
  }

  /// Logs the restrictions in force and those that this kernel lacks.
  func log(_ held: Sandbox.Restrictions, to logger: Logger) {
    guard sandbox == .on else { return logger.warning("no sandbox: it was turned off with --sandbox off") }
    let missing = Sandbox.Restrictions.all.subtracting(held).names
    logger.info("sandbox entered", metadata: ["restricts": "\(held.names.joined(separator: ","))"])
    if !missing.isEmpty {
      logger.warning(
        "the kernel, or a container, does not support these restrictions of the sandbox",
        metadata: ["missing": "\(missing.joined(separator: ","))"])
    }
  }
}

extension Sandbox {
  /// The sandbox of a command that reads pictures and may draw on them.
  /// - Parameter outputs: the paths that it writes; "-" and standard output are already open.
  static func command(reading inputs: [String], outputs: [String] = []) -> Sandbox {
    var sandbox = Sandbox(needs: [.drawing, .libraries])
    for path in inputs where path != "-" { sandbox.allow(.read, path) }
    for path in outputs { sandbox.allowOutput(path == "-" ? "/dev/stdout" : path) }
    sandbox.allowFonts()
    return sandbox
  }

  /// Allows the programs found by PATH, with the loader and their libraries.
  mutating func allowPrograms() {
    let folders = (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
    for path in ["/usr", "/bin", "/lib", "/lib64"] + folders { allow([.read, .run], path) }
  }

  /// Allows what fontconfig reads outside of /usr: its configuration, the user's fonts, and caches. Source:
  /// fonts-conf(5).
  private mutating func allowFonts() {
    for path in ["/etc/fonts", "/var/cache/fontconfig", "/usr/local/share/fonts"] { allow(.read, path) }
    for name in ["FONTCONFIG_PATH", "FONTCONFIG_FILE"] {
      if let path = Environment.value(name) { allow(.read, path) }
    }
    let home = Environment.value("HOME") ?? "/nonexistent"
    allow(.read, "\(home)/.fonts")
    for (name, standard, folder) in [
      ("XDG_DATA_HOME", ".local/share", "fonts"), ("XDG_CONFIG_HOME", ".config", "fontconfig"),
      ("XDG_CACHE_HOME", ".cache", "fontconfig"),
    ] {
      allow(.read, "\(Environment.value(name) ?? "\(home)/\(standard)")/\(folder)")
    }
  }
}

extension String {
  /// The folder of a path; "." if it names none.
  var parentFolder: String {
    guard let slash = lastSlash else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
