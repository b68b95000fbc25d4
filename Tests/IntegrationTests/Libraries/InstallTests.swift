import Foundation
import TestSupport
import Testing

/// Tests the installed tree as another project builds against it.
@Suite struct InstallTests {
  /// Installs below `folder`, moves the tree, and returns its prefix: no file may know the intended place.
  static func install(in folder: TemporaryFolder, libdir: String = "lib") throws -> String {
    try Command.run(
      "Tools/package/install.sh", ["install", Checkout.build.path],
      environment: ["PREFIX": "/usr", "DESTDIR": folder.path("staged"), "LIBDIR": libdir]
    ).succeeded()
    try FileManager.default.moveItem(atPath: folder.path("staged/usr"), toPath: folder.path("moved"))
    return folder.path("moved")
  }

  /// What the tests of a process share that change nothing in it.
  static let prefix = Result { try install(in: try TemporaryFolder.shared.get()) }

  static func run(_ program: String, _ arguments: [String], prefix: String, input: Data? = nil) throws
    -> Command
  {
    try Command.run(program, arguments, environment: ["LD_LIBRARY_PATH": "\(prefix)/lib"], input: input)
  }

  /// Four times the photo as raw video, and its size; a face has an id from the third frame on.
  static func video(in folder: TemporaryFolder) throws -> (frames: Data, size: [String]) {
    let ppm = try Data(contentsOf: URL(filePath: try CLibraryTests.ppm(in: folder)))
    let pixels = ppm.suffix(512 * 600 * 3)
    return (pixels + pixels + pixels + pixels, ["512", "600"])
  }

  static func expectExamples(_ program: (String) -> String, prefix: String, in folder: TemporaryFolder) throws {
    let video = try video(in: folder)
    let engine = try RunningEngine()
    let photo = program("detect").hasSuffix("-c") ? try CLibraryTests.ppm(in: folder) : Checkout.photo
    for way in [["load", Checkout.model], ["connect", engine.socket]] {
      let detected = try run(program("detect"), way + [photo], prefix: prefix)
      #expect(detected.status == 0 && detected.lines.count == 1, "\(detected.errors)")
      let watched = try run(program("watch"), way + video.size, prefix: prefix, input: video.frames)
      #expect(watched.status == 0, "\(watched.errors)")
      #expect(watched.lines.filter { $0.contains("face 1") }.count == 2, "\(watched.output)")
      let shared = try run(program("share"), way + video.size, prefix: prefix, input: video.frames)
      #expect(shared.status == 0 && shared.output == "1: 1\n2: 1\n3: 1\n4: 1\n", "\(shared.errors)")
    }
  }

  @Test func examplesBuildWithPkgConfig() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.prefix.get()
    for language in ["c", "cpp"] {
      for name in ["detect", "watch", "share"] {
        let source = "Examples/\(language)/\(name).\(language)"
        try Command.run(
          "bash",
          [
            "-c",
            "\(language == "c" ? "cc" : "c++") -Wall -Wextra -Werror \(source) -o \(folder.path("\(name)-\(language)")) "
              + "$(pkg-config --cflags --libs faceengine)",
          ], environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"]
        ).succeeded()
        let lines = try String(contentsOfFile: source.fromCheckout, encoding: .utf8).split(separator: "\n")
          .count
        #expect(lines < 120)
      }
      try Self.expectExamples({ folder.path("\($0)-\(language)") }, prefix: prefix, in: folder)
    }
  }

  /// Tests run on threads that block signals, and so would their programs; without SIGCHLD CMake waits
  /// forever.
  static func cmake(_ arguments: String...) throws -> Command { try cmake(arguments) }

  static func cmake(_ arguments: [String]) throws -> Command {
    let unblocked =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execvp('cmake', ['cmake'] + sys.argv[1:])"
    return try Command.run("python3", ["-c", unblocked] + arguments)
  }

  @Test func examplesBuildWithCMake() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.prefix.get()
    try Self.cmake("-S", "Examples", "-B", folder.path("build"), "-DCMAKE_PREFIX_PATH=\(prefix)").succeeded()
    let targets = LongForm.choose([], short: ["--target", "detect-c", "watch-c", "share-c"])
    try Self.cmake(["--build", folder.path("build")] + targets).succeeded()
    try Self.expectExamples({ folder.path("build/\($0)-c") }, prefix: prefix, in: folder)
  }

  /// Before `make`, or after it did not come to its end, `make install` says what to run, and installs nothing.
  @Test func installSaysWhatToMakeFirst() throws {
    let folder = try TemporaryFolder()
    let arguments = ["install", "BUILD=\(folder.path("build"))", "DESTDIR=\(folder.path("root"))"]
    for missing in ["face-engine", "libfaceengine.so", "libfaceengine-draw.so", "staged"] {
      let command = try Command.run("make", arguments)
      #expect(command.status != 0)
      #expect(
        command.errors.contains("install: there is no \(folder.path("build"))/\(missing): run make first"),
        "\(command.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("root")))
      _ = try folder.write("build/\(missing)", [])
    }
  }

  @Test func uninstallLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let environment = ["PREFIX": "/usr", "DESTDIR": folder.path("root"), "LIBDIR": "lib/x86_64-linux-gnu"]
    for action in ["install", "uninstall"] {
      try Command.run(
        "Tools/package/install.sh", [action, Checkout.build.path], environment: environment
      ).succeeded()
      let left = try Command.run("find", [folder.path("root/usr"), "-mindepth", "1"])
      #expect(left.lines.isEmpty == (action == "uninstall"), "\(left.output)")
    }
    let again = try Command.run(
      "Tools/package/install.sh", ["uninstall", Checkout.build.path], environment: environment)
    #expect(again.status == 1 && again.errors.contains("share/face-engine/installed"))
  }

  /// An installation contains its models: after a move, without the checkout, the cache or a home, it finds
  /// faces.
  @Test(.needsRealModel) func whatIsInstalledNeedsNothingElse() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.prefix.get()
    let bare = [
      "HOME": folder.path("nobody"), "XDG_CACHE_HOME": folder.path("nothing"),
      "FACE_ENGINE_CACHE": folder.path("empty"),
    ]
    let photo = folder.path("photo.jpg")
    try FileManager.default.copyItem(atPath: Checkout.photo, toPath: photo)
    let models = try Command.run("\(prefix)/bin/face-engine", ["models"], environment: bare, in: folder.path)
    #expect(models.status == 0 && !models.output.contains("missing"), "\(models.output)\(models.errors)")
    let found = try Command.run(
      "\(prefix)/bin/face-engine", ["detect", "--json", "--all", "--accuracy", "high", photo],
      environment: bare,
      in: folder.path)
    #expect(found.status == 0 && found.output.contains("blendshapes"), "\(found.errors)")

    let source = try folder.write("find.c", Array(Self.smallestProgram.utf8))
    try Command.run(
      "bash",
      [
        "-c",
        "cc -Wall -Wextra -Werror \(source) -o \(folder.path("find")) $(pkg-config --cflags --libs faceengine)",
      ],
      environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"]
    ).succeeded()
    let library = ["LD_LIBRARY_PATH": "\(prefix)/lib"]
    try Command.run(
      folder.path("find"), [], environment: bare.merging(library) { $1 }, in: folder.path
    ).succeeded()
    let elsewhere = ["FACE_ENGINE_MODELS": folder.path("none")]
    let lost = try Command.run(
      folder.path("find"), [], environment: bare.merging(library) { $1 }.merging(elsewhere) { $1 },
      in: folder.path)
    #expect(lost.status == 5)
    let modeldir = try Command.run(
      "pkg-config", ["--variable=modeldir", "faceengine"],
      environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
    let listed = try Command.run("ls", modeldir.lines)
    #expect(listed.lines == ["blendshapes", "centerface", "facemesh", "yunet"])
  }

  /// Returns the status of loading the installed model.
  private static let smallestProgram = """
    #include <face_engine.h>
    int main(void)
    {
      face_engine *engine = 0;
      const face_status status = face_load_model(0, &engine);
      return status != FACE_OK ? status : face_release(engine);
    }
    """

  /// Manual pages are free of roff errors, shells read their completions, and licences and units name the
  /// prefix.
  @Test func manualPagesCompletionsLicencesAndUnitsAreInstalled() throws {
    let prefix = try Self.prefix.get()
    let pages = try FileManager.default.contentsOfDirectory(atPath: "\(prefix)/share/man/man1")
    #expect(Set(pages).isSuperset(of: ["face-engine.1", "face-engine-serve.1", "face-engine-detect.1"]))
    for page in pages {
      let shown = try Command.run(
        "man", ["-l", "--warnings", "\(prefix)/share/man/man1/\(page)"],
        environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
      #expect(
        shown.status == 0 && shown.errors.isEmpty && shown.output.contains("NAME"), "\(page): \(shown.errors)"
      )
    }
    let command = try String(contentsOfFile: "\(prefix)/share/man/man1/face-engine.1", encoding: .utf8)
    for section in ["ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES"] {
      #expect(command.contains(".SH \(section)\n"), "\(section)")
    }
    let serve = try String(contentsOfFile: "\(prefix)/share/man/man1/face-engine-serve.1", encoding: .utf8)
    #expect(serve.components(separatedBy: ".SH OPTIONS\n").count == 2)
    for word in ["trace, debug, info", "\\fBrare\\fR", "\\fBqueued\\-calls\\fR"] {
      #expect(serve.contains(word), "\(word)")
    }
    for (shell, file) in [
      ("bash", "bash-completion/completions/face-engine"), ("zsh", "zsh/site-functions/_face-engine"),
      ("fish", "fish/vendor_completions.d/face-engine.fish"),
    ] {
      let read = try Command.run(shell, ["-n", "\(prefix)/share/\(file)"])
      #expect(read.status == 0 && read.errors.isEmpty, "\(shell): \(read.errors)")
      let text = try String(contentsOfFile: "\(prefix)/share/\(file)", encoding: .utf8)
      #expect(text.contains("files-from") && text.contains("quality"), "\(shell)")
    }
    let schema = try Data(
      contentsOf: URL(filePath: "\(prefix)/share/face-engine/face-engine.schema.json"))
    #expect(try JSONSerialization.jsonObject(with: schema) is [String: Any])
    for name in ["swift", "swift-argument-parser", "swift-log"] + (NcnnPlugin.isInstalled ? ["ncnn"] : []) {
      let text = try String(
        contentsOfFile: "\(prefix)/share/doc/face-engine/licences/\(name).txt", encoding: .utf8)
      #expect(text.count > 1000)
    }
    let unit = try String(contentsOfFile: "\(prefix)/lib/systemd/system/face-engine.service", encoding: .utf8)
    #expect(unit.contains("ExecStart=/usr/bin/face-engine serve"))
  }

  /// The units of a tree that was moved start the program where it is now, and a path that a unit cannot have is
  /// refused.
  @Test func unitsFollowTheirTree() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.install(in: folder)
    let installed = try Command.run("\(prefix)/share/face-engine/install-units.sh", [folder.path("root")])
      .succeeded()
    #expect(installed.errors.contains("move the tree"), "the units close /tmp to the engine")
    let units = folder.path("root/etc/systemd/system")
    let unit = try String(contentsOfFile: "\(units)/face-engine.service", encoding: .utf8)
    let start = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    #expect(start == "ExecStart=\(prefix)/bin/face-engine serve")
    #expect(
      FileManager.default.contentsEqual(
        atPath: "\(units)/face-engine.socket", andPath: "\(prefix)/lib/systemd/system/face-engine.socket"))
    #expect(FileManager.default.fileExists(atPath: folder.path("root/etc/sysusers.d/face-engine.conf")))

    let spaced = folder.path("some where")
    try FileManager.default.moveItem(atPath: prefix, toPath: spaced)
    let refused = try Command.run("\(spaced)/share/face-engine/install-units.sh", [folder.path("other")])
    #expect(refused.status == 1 && refused.errors.contains(spaced), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
  }

  /// The installation says what the units start. The path is without ldconfig, so that the machine
  /// stays as it is.
  @Test func installationSaysWhatTheUnitsStart() throws {
    let folder = try TemporaryFolder()
    let installed = try Command.run(
      "Tools/package/install.sh", ["install", Checkout.build.path],
      environment: ["PREFIX": folder.path("here"), "DESTDIR": "", "PATH": "/usr/bin:/bin"]
    ).succeeded()
    #expect(installed.output.contains("\(folder.path("here"))/bin/face-engine"))
    #expect(installed.output.contains("share/face-engine/install-units.sh"))
  }

  /// The completions that bash and fish offer for a subcommand, an option and an option's value.
  @Test func completionsCompleteWords() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.prefix.get()
    let bash = """
      source \(prefix)/share/bash-completion/completions/face-engine
      words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        COMPREPLY=(); $(complete -p face-engine | sed 's/.*-F \\([^ ]*\\).*/\\1/') "$1" "${@: -1}" "${@: -2:1}"
        echo "${COMPREPLY[@]}"; }
      words face-engine det
      words face-engine detect --files
      words face-engine detect --accuracy b
      """
    let fish = """
      source \(prefix)/share/fish/vendor_completions.d/face-engine.fish
      complete -C "face-engine det" | string split -f1 \\t
      complete -C "face-engine detect --files" | string split -f1 \\t
      complete -C "face-engine detect --accuracy b" | string split -f1 \\t
      """
    let path = ["PATH": "\(prefix)/bin:/usr/bin:/bin", "HOME": folder.path]
    for (shell, script) in [("bash", bash), ("fish", fish)] {
      let said = try Command.run(shell, ["-c", script], environment: path)
      #expect(
        said.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["detect", "--files-from", "balanced"],
        "\(said)")
    }
  }

  /// LIBDIR as an absolute path names the same folder as below PREFIX, and another place is refused.
  @Test func libdirMayBeAbsolute() throws {
    let folder = try TemporaryFolder()
    let prefix = try Self.install(in: folder, libdir: "/usr/lib64")
    let package = try String(contentsOfFile: "\(prefix)/lib64/pkgconfig/faceengine.pc", encoding: .utf8)
    #expect(package.contains("/../..\n"))
    #expect(FileManager.default.fileExists(atPath: "\(prefix)/lib64/libfaceengine.so.1"))
    for libdir in ["/opt/lib", "/usrlib", "../lib", "/usr/../lib"] {
      let refused = try Command.run(
        "Tools/package/install.sh", ["install", Checkout.build.path],
        environment: ["PREFIX": "/usr", "DESTDIR": folder.path("refused"), "LIBDIR": libdir])
      #expect(refused.status == 2)
      #expect(refused.errors.contains("below /usr"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("refused")))
  }

  @Test func exactlyThePublicHeadersAreInstalled() throws {
    let prefix = try Self.prefix.get()
    let installed = try FileManager.default.contentsOfDirectory(atPath: "\(prefix)/include").sorted()
    #expect(
      installed == [
        "face_engine", "face_engine.h", "face_engine.hpp", "face_engine_draw.h", "face_engine_plugin.h",
        "face_jni.h",
        "global_listener.h",
      ])
    let parts = try FileManager.default.contentsOfDirectory(atPath: "\(prefix)/include/face_engine").sorted()
    #expect(parts == (try FileManager.default.contentsOfDirectory(atPath: "include/face_engine").sorted()))
    let links = try Command.run(
      "bash", ["-c", "cd \(prefix)/lib && ls -l libfaceengine*.so* | sed 's/.* lib/lib/'"])
    let libraries = [
      "libfaceengine-draw.so.1", "libfaceengine-draw.so.1.0.0", "libfaceengine-draw.so.1.0.0",
      "libfaceengine.so.1", "libfaceengine.so.1.0.0", "libfaceengine.so.1.0.0",
    ]
    // No program is linked to them; make plug-ins builds both.
    let names = NcnnPlugin.isInstalled ? ["ncnn", "onnxruntime"] : []
    let plugins = names.flatMap { Array(repeating: "libfaceengine-\($0).so.1.0.0", count: 2) }
    #expect(links.lines.sorted() == (libraries + plugins).sorted())
  }
}
