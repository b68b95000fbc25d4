import Foundation
import TestSupport
import Testing

/// The page `docs/start.md` as it is written: `Tests/start.py` runs a section and compares what one sees. Those that
/// need what was installed and nothing else of ours are run here, the others where there is what they need.
@Suite struct StartTests {
  /// Runs a section in a folder of its own.
  static func expectSeen(_ section: String, environment: [String: String] = [:]) throws {
    let folder = try TemporaryFolder()
    let prefix = try InstallTests.prefix.get()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let installed = [
      "CMAKE_PREFIX_PATH": prefix, "LD_LIBRARY_PATH": "\(prefix)/lib", "PATH": "\(prefix)/bin:\(path)",
      "PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig",
    ]
    try Command.run(
      "Tests/start.py".fromCheckout, [section], environment: installed.merging(environment) { $1 },
      in: folder.path
    ).succeeded()
  }

  /// Whether a folder of Debian's has entries that begin with these names; otherwise says that a section was not run.
  static func has(_ names: [String], in folder: String, for section: String) -> Bool {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where !entries.contains(where: { $0.hasPrefix(name) }) {
      FileHandle.standardError.write(
        Data("SKIPPED: \(section) of docs/start.md, because \(folder) has no \(name)\n".utf8))
      return false
    }
    return true
  }

  static let librarySections = ["C with pkg-config", "C with CMake", "C++17"]

  @Test(.needsRealModel, arguments: librarySections)
  func librarySection(_ section: String) throws {
    try Self.expectSeen(section)
  }

  @Test(.needsRealModel) func goSection() throws {
    guard Self.has(["go", "protoc-gen-gogottrpc"], in: "/usr/bin", for: "Go"),
      Self.has(["ttrpc"], in: "/usr/share/gocode/src/github.com/containerd", for: "Go")
    else { return }
    // As in Tests/Peers/go, with which it shares what was compiled.
    try Self.expectSeen(
      "Go", environment: ["GOCACHE": "\(Checkout.cache)/go", "GOFLAGS": "-trimpath", "CGO_ENABLED": "0"])
  }

  @Test(.needsRealModel) func rustSection() throws {
    let registry = "/usr/share/cargo/registry"
    guard Self.has(["ttrpc-0", "protobuf-2", "protobuf-codegen-pure-2"], in: registry, for: "Rust") else {
      return
    }
    try Self.expectSeen("Rust")
  }

  /// A section that no test runs fails, and a name that the page does not have.
  @Test func everySectionIsRun() throws {
    let page = try String(contentsOf: Checkout.root.appending(path: "docs/start.md"), encoding: .utf8)
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
    #expect(headings.count >= 10)
    let tests = try [
      "Tests/IntegrationTests/StartTests.swift", "Gateway/Tests/test_process.py", "Tests/Packages/wheel.sh",
      "Tests/Packages/debian.sh", "Tests/Packages/container.sh", "Bindings/Java/Tests/test.sh",
      "Bindings/Swift/Tests/test.sh",
    ].map { try String(contentsOf: Checkout.root.appending(path: $0), encoding: .utf8) }
    for heading in headings where !Self.librarySections.contains(String(heading)) {
      let calls = [
        "expectSeen(\"", "expectSeen(\n      \"", "expect_seen(\"", "start.py\" \"", "start.py \"",
      ].map {
        $0 + heading + "\""
      }
      #expect(
        tests.contains { test in calls.contains { test.contains($0) } },
        "no test runs \(heading) of docs/start.md")
    }
    let folder = try TemporaryFolder()
    let unknown = try Command.run("Tests/start.py".fromCheckout, ["Fortran"], in: folder.path)
    #expect(unknown.status == 1 && unknown.errors.contains("no section Fortran"), "\(unknown.errors)")
  }

  /// A program that prints something else than the page says fails.
  @Test func whatIsNotSeenFails() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "cc", Array("#!/bin/sh\nprintf '#!/bin/sh\\necho no face\\n' >photo && chmod +x photo\n".utf8))
    try folder.write("pkg-config", Array("#!/bin/sh\n".utf8))
    for name in ["cc", "pkg-config"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
    }
    let other = try Command.run(
      "Tests/start.py".fromCheckout, ["C with pkg-config"],
      environment: ["PATH": "\(folder.path):/usr/bin:/bin"],
      in: folder.path)
    #expect(other.status == 1 && other.errors.contains("+no face"), "\(other.errors)")
  }
}
