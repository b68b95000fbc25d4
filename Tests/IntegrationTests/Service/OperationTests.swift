import Foundation
import ServiceTestSupport
import TestSupport
import Testing

/// The actions of an administrator on a running engine.
@Suite struct OperationTests {
  /// A copy of the model in a folder of its own, weights and all.
  private func modelFolder(in folder: TemporaryFolder) throws -> String {
    let model = folder.path("model")
    try FileManager.default.copyItem(atPath: Checkout.model, toPath: model)
    return model
  }

  @Test func hangupReloadsAndADamagedModelChangesNothing() throws {
    let folder = try TemporaryFolder()
    let model = try modelFolder(in: folder)
    let engine = try RunningEngine(in: folder, model: model)
    engine.signal(SIGHUP)
    #expect(try engine.logs("models reloaded"))
    let whole = try #require(FileManager.default.contents(atPath: folder.path("model/yunet.param")))
    let damaged = try folder.write("model/yunet.param", "7767517\n".utf8)
    engine.signal(SIGHUP)
    #expect(try engine.logs("models not reloaded"))
    #expect(try engine.log.contains(damaged))
    #expect(try engine.run(["detect", Checkout.photo]).status == 0)
    #expect(try engine.run(["status"]).status == 0)
    try folder.write("model/yunet.param", whole)
    engine.signal(SIGHUP)
    #expect(try engine.logs("models reloaded", times: 2))
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func statusIsReadableAndExact() throws {
    let engine = try RunningEngine()
    let table = try engine.run(["status"]).succeeded()
    for text in ["SERVING", "yunet", "max-message-bytes", " 4 MiB", "processor-time-per-call", " 10 s"] {
      #expect(table.output.contains(text))
    }
    let limits = table.lines.filter { $0.hasPrefix("limit ") }
    let values = limits.compactMap { $0.split(separator: " ").dropFirst(2).first }
    #expect(limits.count > 10 && values.count == limits.count)
    #expect(Set(zip(limits, values).map { $0.distance(from: $0.startIndex, to: $1.startIndex) }).count == 1)
    let flags = try Command.faceEngine(["serve", "--help"]).output
    for limit in limits.compactMap({ $0.split(separator: " ").dropFirst().first })
    where !["min-image-side", "max-image-side", "drain-timeout"].contains(limit) {
      #expect(flags.contains("\(limit): "), "serve --limit has no \(limit)")
    }
    let methods = table.lines.drop { !$0.hasPrefix("method ") }
    #expect(methods.contains { $0.contains("Detector/Detect") } && Set(methods.map(\.count)).count == 1)

    let object = try engine.status()
    #expect(object["health"] as? String == "SERVING")
    #expect((object["limits"] as? [String: Any])?["calls_per_connection"] as? Int == 16)
    let counts = (object["methods"] as? [[String: Any]])?.first {
      $0["method"] as? String == "faceengine.v1.Detector/Detect"
    }
    #expect(counts?["calls"] as? Int == 1)
    #expect(engine.end(with: SIGTERM) == 0)
    let gone = try engine.run(["status"])
    #expect(gone.status == 1 && gone.errors.contains(engine.socket))
  }

  @Test(arguments: [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")])
  func aSignalEndsTheEngineAndTheDefaultLogSaysSo(signal: Int32, name: String) throws {
    let engine = try RunningEngine()
    #expect(engine.end(with: signal) == 0)
    #expect(!FileManager.default.fileExists(atPath: engine.socket))
    let lines = try engine.log.split(separator: "\n")
    #expect(lines.count == 2)
    for text in ["models=yunet", "socket=\(engine.socket)", "version=0.3.0", "serving"] {
      #expect(lines.first?.contains(text) == true)
    }
    #expect(lines.last?.contains("signal=\(name)") == true && lines.last?.contains("stopping") == true)
  }

  @Test func readinessIsWaitedForAndHasAnExitCode() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    for time in [[], ["--timeout", "5"], ["--timeout=5"]] {
      let ready = try engine.run(["status", "--wait-ready"] + time)
      #expect(ready.status == 0 && ready.output.isEmpty && ready.errors.isEmpty)
    }
    #expect(engine.end(with: SIGTERM) == 0)
    let gone = try Command.faceEngine(["status", "--wait-ready", "--timeout=0.1", "--socket", engine.socket])
    #expect(gone.status == 1)
    #expect(gone.errors.contains("not ready after 0.1 s: no engine listens at \(engine.socket)"))
  }

  /// An idle engine in its sandbox loads its models again.
  @Test func anIdleEngineReleasesItsModels() throws {
    let engine = try RunningEngine(arguments: ["--idle-unload", "0.3"])
    for round in 1...2 {
      var idle = false
      // It becomes idle although health checks go on.
      for _ in 0..<1000 where !idle {
        usleep(50_000)
        let object = try engine.status()
        #expect(object["health"] as? String == "SERVING")
        idle = object["models_released"] as? Bool == true
        if idle { #expect(object["model_releases"] as? Int ?? 0 >= round) }
      }
      try #require(idle)
      let found = try engine.run(["detect", "--landmarks", Checkout.photo])
      #expect(found.status == 0 && found.lines.count >= 1, "\(found.errors)")
    }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func metricsAreOpenMetrics() throws {
    let engine = try RunningEngine(arguments: ["--workers", "2"])
    let folder = try TemporaryFolder()
    let broken = try folder.write("broken.jpg", "not a picture".utf8)
    #expect(try engine.run(["detect", broken]).status == 1)
    let metrics = try engine.run(["status", "--openmetrics"]).succeeded()
    for line in [
      "# TYPE face_engine_serving gauge", "face_engine_serving 1", "face_engine_busy_workers 0",
      "face_engine_workers 3", "face_engine_queued_calls 0",
      "face_engine_calls_total{method=\"faceengine.v1.Detector/Detect\"} 2",
      "face_engine_call_failures_total{method=\"faceengine.v1.Detector/Detect\",code=\"INVALID_ARGUMENT\"} 1",
      "face_engine_run_seconds_count{method=\"faceengine.v1.Detector/Detect\"} 2",
    ] {
      #expect(metrics.lines.contains(line), "\(line)")
    }
    #expect(metrics.lines.last == "# EOF")
    // Each family is declared once, before its samples, which follow one another.
    var declared: [String] = []
    for line in metrics.lines.dropLast() {
      if line.hasPrefix("# TYPE ") {
        let name = String(line.split(separator: " ")[2])
        #expect(!declared.contains(name))
        declared.append(name)
      } else if !line.hasPrefix("#") {
        #expect(line.hasPrefix(declared.last ?? "-"), "\(line)")
        #expect(Double(line.split(separator: " ").last ?? "") != nil)
      }
    }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func everyCallHasALineInTheAccessLog() throws {
    let folder = try TemporaryFolder()
    let log = try folder.write("access", [])
    let engine = try RunningEngine(
      in: folder, launcher: ["sh", "-c", "exec \"$@\" --access-log >\(log)", "sh"])
    let broken = try folder.write("broken.jpg", "not a picture".utf8)
    #expect(try engine.run(["detect", broken]).status == 1)
    #expect(engine.end(with: SIGTERM) == 0)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
    let calls = lines.filter { $0.contains(" method=faceengine.v1.Detector/Detect ") }
    #expect(calls.count == 2)
    for text in [
      "time=", " uid=\(getuid()) ", " pid=", " status=OK ", " queue_us=", " run_us=", " request_bytes=",
    ] {
      #expect(calls.first?.contains(text) == true, "\(text)")
    }
    #expect(calls.last?.contains(" status=INVALID_ARGUMENT ") == true)
    let hello = try #require(lines.first { $0.contains(" method=faceengine.v1.Session/Hello ") })
    #expect(!hello.contains(" response_bytes=0") && hello.contains(" response_bytes="))
  }

  @Test func flagsReachTheEngine() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(
      in: folder,
      arguments: [
        "--socket-mode", "0600", "--socket-group", "\(getgid())", "--limit", "max-message-bytes=2000000",
        "--limit", "connections-per-user=5", "--limit", "checks-per-user=7",
        "--limit", "mapped-bytes-per-user=3000000",
        "--drain-timeout", "0.5",
        "--allow-user", "\(getuid())", "--allow-group", "\(getgid())",
      ])
    let attributes = try FileManager.default.attributesOfItem(atPath: engine.socket)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.groupOwnerAccountID] as? Int == Int(getgid()))
    let json = try engine.run(["status", "--json"])
    for text in [
      "\"max_message_bytes\": 2000000", "\"connections_per_user\": 5", "\"checks_per_user\": 7",
      "\"mapped_bytes_per_user\": 3000000",
      "\"drain_timeout_ns\": 500000000",
    ] {
      #expect(json.output.contains(text))
    }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(arguments: [
    ["--socket-mode", "8"], ["--socket-mode", "7777"], ["--drain-timeout", "-1"],
    ["--drain-timeout", "soon"],
    ["--limit", "checks-per-user=0"], ["--limit", "connections-per-user=5000000000"],
    ["--limit", "max-message-bytes=5000000"], ["--limit", "patience=1"], ["--limit", "connections"],
    ["--limit", "first-frame-timeout=soon"],
    ["--allow-user", "no such user"],
    ["--allow-group", "no such group"], ["--socket-group", "no such group"],
  ])
  func wrongFlagsAreRefused(_ flags: [String]) throws {
    let folder = try TemporaryFolder()
    let command = try Command.faceEngine(
      ["serve", "--socket", folder.path("s"), "--model", Checkout.model] + flags)
    #expect(command.status != 0)
    #expect(!command.errors.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path("s")))
  }

  @Test func refusedCallIsOneLogLineWithoutThePicture() throws {
    let engine = try RunningEngine()
    let folder = try TemporaryFolder()
    let secret = try folder.write("secret-name.jpg", "secret-picture".utf8)
    #expect(try engine.run(["detect", secret]).status == 1)
    #expect(try engine.logs("call refused"))
    let lines = try engine.log.split(separator: "\n").filter { $0.contains("call refused") }
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    for text in [
      "uid \(getuid())", "pid ", "Detector/Detect", "INVALID_ARGUMENT", "does not begin like a JPEG",
    ] {
      #expect(line.contains(text))
    }
    #expect(try !engine.log.contains("secret"))
  }

  @Test func logCannotBeForged() throws {
    let engine = try RunningEngine()
    let peer = try RawPeer(engine.socket)
    // Request{service: …, method: "Thing"} on stream 1, written out by hand.
    let name = Array("x\n2026-01-01T00:00:00+0000 critical face-engine: \u{1B}[31mforged".utf8)
    let request: [UInt8] = [0x0A, UInt8(name.count)] + name + [0x12, 5] + Array("Thing".utf8)
    #expect(try peer.send([0, 0, 0, UInt8(request.count), 0, 0, 0, 1, 1, 0] + request))
    #expect(try engine.logs("forged"))
    let lines = try engine.log.split(separator: "\n").filter { $0.contains("forged") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("call refused") == true)
    #expect(try !engine.log.contains("\u{1B}"))
  }

  /// The log is not read: the pipe is full before the engine writes its first line.
  @Test func unreadLogBlocksNothing() throws {
    let pipe = Pipe()
    let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    let flags = fcntl(writer.fileDescriptor, F_GETFL)
    _ = fcntl(writer.fileDescriptor, F_SETFL, flags | O_NONBLOCK)
    var room = 0
    while write(writer.fileDescriptor, "x", 1) == 1 { room += 1 }
    _ = fcntl(writer.fileDescriptor, F_SETFL, flags)
    let engine = try RunningEngine(errors: writer)
    let folder = try TemporaryFolder()
    let broken = try folder.write("broken.jpg", "not a picture".utf8)
    for _ in 0..<3 {
      #expect(try engine.run(["detect", broken]).status == 1)
      #expect(try engine.run(["status"]).status == 0)
    }
    engine.signal(SIGHUP)
    #expect(try engine.run(["status"]).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
    try writer.close()
    // Lines that found room later come after those that filled the pipe.
    #expect(try reader.readToEnd()?.count == room)
  }
}
