import Foundation
import TestSupport
import Testing

/// The abilities of a hijacked decoder: one is planted in place of libwebp's first function and tries them.
@Suite struct SandboxTests {
  private static let picture = "Tests/Fixtures/images/rgb.webp".fromCheckout

  /// The errno of each attempt, 0 for one that succeeded.
  private typealias Outcomes = [String: Int32]

  /// The planted decoder and its inputs.
  private struct Plant {
    let folder: TemporaryFolder
    let environment: [String: String]
    private let listener: TCPListener

    init() throws {
      folder = try TemporaryFolder()
      listener = try TCPListener()
      let library = folder.path("planted.so")
      try Command.run(
        "gcc",
        [
          "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
          "Tests/CTests/preload/planted_decoder.c".fromCheckout, "-o", library, "-ldl",
        ]
      ).succeeded()
      environment = [
        "LD_PRELOAD": library, "PLANTED_PORT": "\(listener.port)", "PLANTED_FILE": folder.path("planted"),
        "PLANTED_OTHER": try folder.write("other", []),
      ]
    }

    /// The decoder's output.
    func outcomes(in text: String) throws -> Outcomes {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("planted: ") }, "\(text)")
      return try Dictionary(
        uniqueKeysWithValues: line.dropFirst("planted: ".count).split(separator: " ").map {
          let parts = $0.split(separator: "=")
          return (String(parts[0]), try #require(Int32(parts[1])))
        })
    }
  }

  private func expectForbidden(_ outcomes: Outcomes, sandbox: [String]) {
    if sandbox.contains("files") {
      #expect(outcomes["read"] == EACCES)
      #expect([EACCES, EPERM].contains(outcomes["write"]))
      #expect([EACCES, EPERM].contains(outcomes["remove"]))
      #expect(outcomes["list"] == EACCES)
    }
    // The filter sees the socket before Landlock sees the connection.
    if sandbox.contains("tcp") { #expect([EACCES, EPERM].contains(outcomes["connect"])) }
    if sandbox.contains("signals") { #expect(outcomes["signal"] == EPERM) }
    if sandbox.contains("system_calls") {
      for name in ["connect", "execute", "fork", "signal", "memory", "owner", "limits"] {
        #expect(outcomes[name] == EPERM, "\(name)")
      }
    }
  }

  private func expectAllowed(_ outcomes: Outcomes) {
    #expect(outcomes.count == 11)
    for (name, code) in outcomes { #expect(code == 0, "\(name)") }
  }

  /// The restrictions that the engine reports.
  private func sandbox(of engine: RunningEngine) throws -> [String] {
    try #require(try engine.status()["sandbox"] as? [String])
  }

  @Test func sandboxOfTheEngineConfinesAHijackedDecoder() throws {
    let plant = try Plant()
    let engine = try RunningEngine(
      arguments: ["--decoder-processes", "none"], logLevel: "info", environment: plant.environment)
    let sandbox = try sandbox(of: engine)
    // Every supported kernel has these.
    for name in ["privileges", "system_calls"] { #expect(sandbox.contains(name)) }
    let status = try engine.run(["status"])
    #expect(status.output.contains("sandbox      privileges, "))
    #expect(try engine.run(["detect", Self.picture]).status == 0)
    #expect(try engine.logs("planted: "))
    expectForbidden(try plant.outcomes(in: try engine.log), sandbox: sandbox)
    #expect(try engine.log.contains("sandbox entered"))
    #expect(engine.end(with: SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: engine.socket))
    #expect(!FileManager.default.fileExists(atPath: engine.socket + ".lock"))
  }

  /// The right to remove the socket would be one to remove the files beside it.
  @Test func socketInASharedFolderStaysAndIsReplaced() throws {
    let plant = try Plant()
    for _ in 0..<2 {
      let engine = try RunningEngine(
        in: plant.folder, arguments: ["--decoder-processes", "none"], environment: plant.environment)
      #expect(try engine.run(["detect", Self.picture]).status == 0)
      #expect(try engine.logs("planted: "))
      let sandbox = try sandbox(of: engine)
      expectForbidden(try plant.outcomes(in: try engine.log), sandbox: sandbox)
      #expect(engine.end(with: SIGTERM) == 0)
      #expect(FileManager.default.fileExists(atPath: engine.socket) == sandbox.contains("files"))
    }
  }

  /// This shows that the attempts could succeed.
  @Test func withoutTheSandboxEveryAttemptSucceeds() throws {
    let plant = try Plant()
    let engine = try RunningEngine(
      arguments: ["--sandbox", "off", "--decoder-processes", "none"], environment: plant.environment)
    #expect(try sandbox(of: engine) == [])
    #expect(
      try engine.run(["status"]).output.contains("sandbox      none"))
    #expect(try engine.run(["detect", Self.picture]).status == 0)
    #expect(try engine.logs("planted: "))
    expectAllowed(try plant.outcomes(in: try engine.log))
    #expect(try engine.log.contains("--sandbox off"))
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// Commands that write nothing, and some that do.
  @Test(arguments: [
    ["detect", "PICTURE"], ["detect", "--annotate", "OUTPUT", "PICTURE"],
    ["draw", "-o", "OUTPUT", "PICTURE"],
    ["quality", "PICTURE"], ["check", "--still", "PICTURE"], ["watch", "PICTURE"],
  ])
  func sandboxOfCommandsConfinesAHijackedDecoder(_ command: [String]) throws {
    let plant = try Plant()
    let engine = try RunningEngine()
    let sandbox = try sandbox(of: engine)
    let output = try TemporaryFolder()
    func run(_ flags: [String]) throws -> Outcomes {
      let arguments = command.map {
        ["PICTURE": Self.picture, "OUTPUT": output.path("marked.png")][$0] ?? $0
      }
      let done = try Command.run(
        Checkout.engine, arguments + ["--model", Checkout.model, "--decoder-processes", "none"] + flags,
        environment: plant.environment)
      // A check without a face cannot pass.
      #expect(done.status == (command[0] == "check" ? 1 : 0), "\(done.errors)")
      return try plant.outcomes(in: done.errors)
    }
    expectForbidden(try run([]), sandbox: sandbox)
    if command.contains("OUTPUT") {
      #expect(FileManager.default.fileExists(atPath: output.path("marked.png")))
    }
    expectAllowed(try run(["--sandbox", "off"]))
  }

  /// A decoder in a process of its own may do nothing at all: it says by the size of its picture what it was let.
  @Test(arguments: [("on", 0), ("off", 2047)])
  func decoderProcessesMayDoNothing(sandbox: String, allowed: Int) throws {
    let plant = try Plant()
    let environment = plant.environment.merging(["PLANTED_SIZE": "1"]) { $1 }
    let said = "image is \(2048 + allowed)×1 pixels"
    let detect = ["detect", "--model", Checkout.model, "--sandbox", sandbox, Self.picture]
    #expect(try Command.run(Checkout.engine, detect, environment: environment).errors.contains(said))
    // The file was made already.
    let second = try Plant()
    let engine = try RunningEngine(
      arguments: ["--sandbox", sandbox],
      environment: second.environment.merging(["PLANTED_SIZE": "1"]) { $1 })
    let command = try engine.run(["detect", Self.picture])
    #expect(command.errors.contains(said), "\(command.errors)")
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// Decoding and loading on demand still work.
  @Test func everyKindOfWorkIsDoneInsideTheSandbox() throws {
    let folder = try TemporaryFolder()
    let flags = ["--model", Checkout.model, "--accuracy", "high"]
    let all = try Command.faceEngine(["detect", "--json", "--all"] + flags + [Checkout.photo]).succeeded()
    #expect(all.output.contains("\"blendshapes\""))
    try Command.faceEngine(
      ["draw", "--ids", "--label", "Grace", "-o", folder.path("drawn.png")] + flags + [Checkout.photo]
    ).succeeded()
    try Command.faceEngine(
      ["draw", "--sandbox", "off", "--ids", "--label", "Grace", "-o", folder.path("bare.png")] + flags
        + [Checkout.photo]
    ).succeeded()
    // The letters are the same, so fonts were found.
    #expect(
      try Data(contentsOf: URL(filePath: folder.path("drawn.png")))
        == Data(contentsOf: URL(filePath: folder.path("bare.png"))))
  }

  @Test func commandLinksNothingThatDraws() throws {
    let linked = try Command.run("ldd", [Checkout.engine]).succeeded()
    for name in ["libc.so", "libjpeg", "libwebp"] { #expect(linked.output.contains(name)) }
    for name in ["cairo", "pango", "fontconfig", "freetype", "libX", "libxcb", "glib", "heif", "tiff"] {
      #expect(!linked.output.contains(name), "\(linked.output)")
    }
  }
}

/// Listens on a TCP port of this machine.
private final class TCPListener: Sendable {
  let port: UInt16
  private let descriptor: Int32

  struct CannotListen: Error {}

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { [descriptor] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
        bind(descriptor, pointer, size) == 0 && listen(descriptor, 16) == 0
          ? getsockname(descriptor, pointer, &size) : -1
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard result == 0 else { throw CannotListen() }
  }

  deinit { close(descriptor) }
}
