import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct AdminTests {
  @Test func modelsAreListed() throws {
    let engine = try TestServer()
    let models = try Client(socket: engine.socket).listModels()
    #expect(models == (try engine.detector.listModels()))
    #expect(models.map(\.isLoaded) == [true, false])
  }

  @Test func modelIsReloaded() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    #expect(try client.reloadModel() == engine.detector.models)
    #expect(try client.reloadModel(named: "fake") == engine.detector.models)
    #expect(engine.detector.reloads == 2)
    #expect(engine.log.lines.contains { $0.contains("models reloaded") && $0.contains("pid") })
  }

  @Test func failedReloadIsReportedAndChangesNothing() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let unknown = #expect(throws: Status.self) { try client.reloadModel(named: "nope") }
    #expect(unknown?.code == .notFound)
    engine.detector.fail(with: Status(.failedPrecondition, "damaged"))
    let damaged = #expect(throws: Status.self) { try client.reloadModel() }
    #expect(damaged == Status(.failedPrecondition, "damaged"))
    #expect(engine.detector.reloads == 0)
    #expect(try client.info().models == engine.detector.models)
  }

  @Test func onlyRootAndTheOwnerAdminister() {
    func may(_ user: UInt32) -> Bool {
      Peer(process: 1, user: user, group: user).mayAdminister(processOf: 1000)
    }
    #expect(may(0))
    #expect(may(1000))
    #expect(!may(1001))
  }

  @Test func descriptorSetArrives() throws {
    let engine = try TestServer()
    let set = try Client(socket: engine.socket).describe()
    #expect(String(decoding: set, as: UTF8.self).contains("faceengine.v1"))
    #expect(try DescribeCall.outputs(of: set) == .all)
    #expect(try Client(socket: engine.socket).knownOutputs() == .all)
  }
}
