import Foundation
import Posix
import TestSupport
import Testing

/// Which processors share a core, by made-up folders like /sys/devices/system/cpu.
@Suite struct ProcessorTopologyTests {
  /// A folder with what the kernel says of each processor: its file and that file's text.
  private func folder(_ processors: [(name: String, text: String)]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (index, processor) in processors.enumerated() {
      let topology = "\(folder.path)/cpu\(index)/topology"
      try FileManager.default.createDirectory(atPath: topology, withIntermediateDirectories: true)
      try processor.text.write(toFile: "\(topology)/\(processor.name)", atomically: false, encoding: .utf8)
    }
    return folder
  }

  @Test(arguments: ["core_cpus_list", "thread_siblings_list"]) func processorsOfACoreAreOne(name: String)
    throws
  {
    let four = try folder(["0,2\n", "1,3\n", "0,2\n", "1,3\n"].map { (name, $0) })
    #expect(ProcessorTopology.coreCount(of: [0, 1, 2, 3], in: four.path) == 2)
    #expect(ProcessorTopology.coreCount(of: [0, 2], in: four.path) == 1, "the process may run on one core")
    #expect(ProcessorTopology.coreCount(of: [2, 3], in: four.path) == 2)
    let two = try folder(["0-1\n", "0-1\n"].map { (name, $0) })
    #expect(ProcessorTopology.coreCount(of: [0, 1], in: two.path) == 1)
    let alone = try folder(["0\n", "1\n", "2\n"].map { (name, $0) })
    #expect(ProcessorTopology.coreCount(of: [0, 1, 2], in: alone.path) == 3)
  }

  @Test func theNewerNameCounts() throws {
    let folder = try folder([("core_cpus_list", "0\n"), ("core_cpus_list", "1\n")])
    for processor in 0...1 {
      try "0-1\n".write(
        toFile: "\(folder.path)/cpu\(processor)/topology/thread_siblings_list", atomically: false,
        encoding: .utf8)
    }
    #expect(ProcessorTopology.coreCount(of: [0, 1], in: folder.path) == 2)
  }

  @Test func processorsOfWhichNothingIsKnownAreCores() throws {
    let folder = try folder([("core_cpus_list", "0-1\n"), ("core_cpus_list", "0-1\n"), ("core_id", "0\n")])
    #expect(ProcessorTopology.coreCount(of: [0, 1, 2], in: folder.path) == 2)
    #expect(ProcessorTopology.coreCount(of: [5, 6], in: folder.path) == 2)
    #expect(ProcessorTopology.coreCount(of: [0, 1], in: "\(folder.path)/none") == 2)
    #expect(ProcessorTopology.coreCount(of: [], in: folder.path) == 1)
    let empty = try self.folder([("core_cpus_list", "\n"), ("core_cpus_list", "")])
    #expect(ProcessorTopology.coreCount(of: [0, 1], in: empty.path) == 2)
  }

  @Test func threadsAreNoMoreThanCores() {
    let cores = ProcessorTopology.coreCount
    #expect((1...CurrentProcess.processorCount).contains(cores))
    #expect(ProcessorTopology.threadsPerFrame(0) == min(cores, 16))
    #expect(ProcessorTopology.threadsPerFrame(1) == 1)
    for requested in 2...16 {
      #expect(ProcessorTopology.threadsPerFrame(requested) == min(cores, requested))
    }
  }
}
