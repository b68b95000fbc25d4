import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// A canceller ends a stream, and connecting, although the engine hangs. No limit of time would end them.
@Suite struct RemoteStreamCancellationTests {
  private var unlimited: ClientOptions {
    var options = ClientOptions()
    options.timeout = .zero
    return options
  }

  private func options(_ mode: StreamMode, _ canceller: Canceller) -> StreamOptions {
    var options = StreamOptions()
    options.mode = mode
    options.canceller = canceller
    return options
  }

  /// The engine holds one frame; others wait here, and in mode `every` so does a submission.
  @Test(arguments: [StreamMode.every, .newest])
  func cancelEndsTheFramesAndTheStream(mode: StreamMode) throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket, options: unlimited)
    engine.detector.hold()
    let canceller = Canceller()
    let log = EventLog()
    let stream = try client.openStream(options(mode, canceller), deliver: log.deliver)
    let submitted = Counter()
    let thread = try Posix.Thread(name: "submit") {
      while true {
        do throws(Status) {
          _ = try stream.submit(heldImage(1), timestamp: 0)
          submitted.add()
          if mode == .newest, submitted.value == 3 { return }
        } catch {
          #expect(error.code == .cancelled)
          return
        }
      }
    }
    engine.detector.waitUntilRunning(1)
    if mode == .newest { thread.join() }
    canceller.cancel()
    if mode == .every { thread.join() }
    stream.close()
    #expect(log.events.count == submitted.value)
    #expect(log.failures.last == .cancelled)
    let late = #expect(throws: Status.self) { try stream.submit(heldImage(1), timestamp: 0) }
    #expect(late?.code == .cancelled)
    engine.detector.release()
  }

  @Test func cancelEndsTheOpeningOfAStream() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket, options: unlimited)
    engine.stop()
    let silent = try SocketFile.claim(try SocketPath(engine.socket))
    let canceller = Canceller()
    let thread = try Posix.Thread(name: "open") {
      let status = #expect(throws: Status.self) {
        try client.openStream(options(.every, canceller)) { _ in }
      }
      #expect(status?.code == .cancelled)
    }
    CurrentProcess.sleep(for: .milliseconds(20))
    canceller.cancel()
    thread.join()
    _ = silent
  }

  @Test func cancelEndsConnecting() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let silent = try SocketFile.claim(try SocketPath(path))
    let canceller = Canceller()
    let options = unlimited
    let thread = try Posix.Thread(name: "connect") {
      let status = #expect(throws: Status.self) {
        try Client(socket: path, options: options, canceller: canceller)
      }
      #expect(status?.code == .cancelled)
    }
    CurrentProcess.sleep(for: .milliseconds(20))
    canceller.cancel()
    thread.join()
    _ = silent
  }
}
