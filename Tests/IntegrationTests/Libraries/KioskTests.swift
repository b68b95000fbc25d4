import Foundation
import TestSupport
import Testing

/// Whether a program can open a window here.
private enum Windows {
  /// Whether the tools are installed; if not, a message on standard error says so.
  static let areThere: Bool = {
    for command in ["pkg-config --exists sdl2 pangocairo gio-unix-2.0", "command -v Xvfb"] {
      guard (try? Command.run("bash", ["-c", command]).status) == 0 else {
        FileHandle.standardError.write(
          Data(
            "SKIPPED: every test of the kiosk, because \(command) fails; run Tools/setup/packages.sh test\n"
              .utf8))
        return false
      }
    }
    return true
  }()
}

/// An X server without a screen, which lives as long as the value.
private final class Screen {
  struct DidNotStart: Error {}

  private let server: InteractiveProgram
  /// The name, such as ":99".
  let display: String

  init(_ size: String = "1024x768") throws {
    // The server chooses a free number and writes it when it serves. Without -noreset it restarts when its
    // last client has left, also while it ends. xserver(1)
    server = try InteractiveProgram([
      "Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "\(size)x24",
    ])
    guard let number = try server.line() else { throw DidNotStart() }
    display = ":\(number)"
  }

  deinit {
    // Ending takes a moment, in which it removes its socket and its lock.
    server.signal(SIGTERM)
    _ = server.wait()
  }
}

/// Examples/kiosk in a window of an X server without a screen, with a clip made of the photo as its camera.
@Suite(.enabled(if: Windows.areThere, "no SDL2, Pango or Xvfb; run Tools/setup/packages.sh test"))
struct KioskTests {
  private let folder: TemporaryFolder
  private let clip: String

  init() throws {
    folder = try TemporaryFolder()
    clip = try Self.clip.get()
  }

  /// A third of a second without a person, then three with her, at 30 frames a second; made once for all tests.
  private static let clip = Result { try makeClip(in: TemporaryFolder.shared.get()) }

  private static func makeClip(in folder: TemporaryFolder) throws -> String {
    let photo = try Data(contentsOf: URL(filePath: try CLibraryTests.ppm(in: folder)))
    let header = Data("P6\n512 600\n255\n".utf8)
    try #require(photo.starts(with: header))
    let empty = header + Data(repeating: 128, count: photo.count - header.count)
    var frames = Data()
    for number in 0..<100 { frames.append(number < 10 ? empty : photo) }
    let path = folder.path("clip.ppm")
    try frames.write(to: URL(filePath: path))
    return path
  }

  /// The kiosk, compiled once for all tests.
  private static let program = Result { try compile(in: TemporaryFolder.shared.get()) }

  private static func compile(
    _ source: String = "Examples/kiosk/kiosk.cpp", in folder: TemporaryFolder
  ) throws -> String {
    let flags = try Command.run("pkg-config", ["--cflags", "--libs", "sdl2", "pangocairo", "gio-unix-2.0"])
      .output
    return try CLibraryTests.compile(
      [source], in: folder, with: "g++",
      options: ["-IExamples/kiosk", "-lfaceengine-draw"]
        + flags.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  private func run(_ program: String, _ arguments: [String]) throws -> Command {
    let screen = try Screen()
    defer { withExtendedLifetime(screen) {} }
    return try Command.run(
      program, ["--texts", "Examples/kiosk/texts", "--mute", "--every", "--trace"] + arguments + [clip],
      environment: ["DISPLAY": screen.display])
  }

  private func size(of path: String) throws -> [UInt32] {
    let header = [UInt8](try Data(contentsOf: URL(filePath: path)).prefix(24))
    return [16, 20].map { first in header[first..<first + 4].reduce(0) { $0 << 8 | UInt32($1) } }
  }

  @Test func aPictureIsTakenLoadedAndConnected() throws {
    let program = try Self.program.get()
    let engine = try RunningEngine()
    let (taken, window) = (folder.path("taken.png"), folder.path("window.png"))
    for way in [["--model", Checkout.model], ["--connect", engine.socket]] {
      let shape = ["--width", "1024", "--height", "600"]
      let command = try run(program, way + shape + ["--once", "--save", taken, "--screenshot", window])
      #expect(command.status == 0, "\(command.errors)")
      let states = command.lines.filter { $0.hasPrefix("state ") }
      #expect(states == ["state waiting", "state start", "state checking", "state finish"])
      #expect(command.lines.first { $0.hasPrefix("tip ") } == "tip prompt")
      #expect(command.lines.suffix(2) == ["tip done", "result 768x768"])
      #expect(try size(of: taken) == [768, 768] && size(of: window) == [1024, 600])
      let found = try Command.faceEngine(["detect", "--model", Checkout.model, taken])
      #expect(found.output.contains("1 face"))
      try FileManager.default.removeItem(atPath: taken)
    }
  }

  /// She does not blink, so no picture is taken. The window has the size of the screen.
  @Test func withoutTheActionThereIsNoPicture() throws {
    let window = folder.path("window.png")
    let command = try run(
      try Self.program.get(),
      ["--model", Checkout.model, "--once", "--actions", "blink", "--full-screen", "--screenshot", window])
    #expect(command.status == 1)
    #expect(command.lines.contains("tip blink") && !command.lines.contains("state finish"))
    #expect(try size(of: window) == [1024, 768])
  }

  /// Every kind of screen, in each of the sizes and languages, one of them in the short form;
  /// Examples/kiosk/screens.sh makes them happen. The pictures stay in the folder that KIOSK_SCREENS names,
  /// for inspection.
  @Test(
    arguments: LongForm.choose([("1920x1080", "en"), ("1080x1920", "ja")], short: []) + [("800x480", "ar")])
  func everyScreenIsShown(_ size: String, _ language: String) throws {
    guard Clips.hasFFmpeg, try Command.run("bash", ["-c", "command -v xdotool"]).status == 0 else {
      FileHandle.standardError.write(
        Data("SKIPPED: the kiosk's screens, because ffmpeg or xdotool is not installed\n".utf8))
      return
    }
    let program = try Self.program.get()
    let sides = size.split(separator: "x").map(String.init)
    let pictures =
      ProcessInfo.processInfo.environment["KIOSK_SCREENS"].map { "\($0)/\(size)" } ?? folder.path("screens")
    let screen = try Screen(size)
    defer { withExtendedLifetime(screen) {} }
    let command = try Command.run(
      "Examples/kiosk/screens.sh".fromCheckout,
      [program, Checkout.model, Checkout.engine, Checkout.photo] + sides + [pictures]
        + ["--texts", "Examples/kiosk/texts", "--language", language],
      environment: ["DISPLAY": screen.display], timeLimit: .seconds(600))
    #expect(command.status == 0, "\(command.errors)")
    for name in [
      "idle", "searching", "tip", "action", "countdown", "success", "saved", "failure", "time_out",
      "camera_gone", "engine_gone",
    ] {
      #expect(try self.size(of: "\(pictures)/\(name).png") == sides.compactMap(UInt32.init), "\(name)")
    }
  }

  private static let languages = ["en", "de", "fr", "es", "ar", "ja"]

  /// Every text is within its button or the panel, on no other text, in whole words and large enough to read,
  /// in every language, at every size of window and in both sizes of type.
  @Test func everyTextFits() throws {
    let program = try Self.compile("Tests/CTests/kiosk.cpp", in: folder)
    let command = try Command.run(program, ["texts", "Examples/kiosk/texts".fromCheckout] + Self.languages)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    // A title for each screen and tip in each of 6 languages, 16 sizes of window and 2 of type.
    let count = command.lines.last?.split(separator: " ").first.flatMap { Int($0) }
    #expect(try #require(count) >= 6 * 16 * 2 * 35)
  }

  /// A tip that asks for nothing new is not shown as a warning.
  @Test func tipsThatPraiseAreCalm() throws {
    let program = try Self.compile("Tests/CTests/kiosk.cpp", in: folder)
    let command = try Command.run(program, ["tones"])
    #expect(command.status == 0, "\(command.errors)")
    let lines = Set(command.lines)
    #expect(lines.count == 60, "two for each tip")
    #expect(lines.isSuperset(of: ["hold_still not-held steady calm", "hold_still held countdown good"]))
    #expect(lines.isSuperset(of: ["done not-held steady calm", "smile not-held action calm"]))
    #expect(lines.isSuperset(of: ["blurred not-held tip attention", "come_closer held tip attention"]))
    let calm = lines.filter { $0.hasSuffix("calm") && $0.contains(" not-held ") }
    let names = Set(calm.map { $0.prefix { $0 != " " } })
    #expect(
      names == [
        "prompt", "no_face", "hold_still", "done", "blink", "turn_left", "turn_right", "smile", "open_mouth",
      ])
  }

  /// Every language has a text for each English one, and a symbol for each tip.
  @Test func everyLanguageHasEveryText() throws {
    func keys(_ name: String) throws -> Set<Substring> {
      let text = try String(contentsOfFile: "Examples/kiosk/texts/\(name).txt".fromCheckout, encoding: .utf8)
      return Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "=" } })
    }
    let english = try keys("en")
    for language in Self.languages {
      #expect(try english.subtracting(keys(language)).isEmpty, "\(language)")
    }
    let tips = english.filter { $0.hasPrefix("tip.") && !$0.hasSuffix(".detail") }
    #expect(try tips.subtracting(keys("symbols")).isEmpty)
  }

  @Test func wrongUsageIsReported() throws {
    let program = try Self.program.get()
    for arguments in [[], ["--model"], ["--model", "a", "--connect", "b"], ["--model", "a", "--fps", "-1"]] {
      let command = try Command.run(program, arguments)
      #expect(command.status == 2 && command.errors.contains("usage"))
    }
    let unread = try Command.run(
      program, ["--texts", "Examples/kiosk/texts", "--model", Checkout.model, Checkout.photo])
    #expect(unread.status == 1 && unread.errors.contains(Checkout.photo))
    let textless = try Command.run(program, ["--model", Checkout.model, clip])
    #expect(textless.status == 1 && textless.errors.contains("--texts"))
  }
}
