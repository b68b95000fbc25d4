import Posix
import TestSupport
import Testing

/// The limits of made-up folders like / with the files that the kernel has in them.
@Suite struct ControlGroupsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// /proc/self/cgroup
    let groups: String
    /// The files below /sys/fs/cgroup.
    let files: [String: String]
    let memory: Int?
    let processors: Double?
  }

  private static let v1 = "9:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/docker/a\n"

  @Test(arguments: [
    Case(
      testDescription: "v2: the lowest of the group and those above it", groups: "0::/a.slice/b.service\n",
      files: [
        "memory.max": "max\n", "a.slice/memory.max": "1000000\n", "a.slice/b.service/memory.max": "3000000\n",
        "a.slice/cpu.max": "50000 100000\n", "a.slice/b.service/cpu.max": "200000 100000\n",
        "c/memory.max": "1\n",
      ], memory: 1_000_000, processors: 0.5),
    Case(
      testDescription: "v2: a container's own group is the root", groups: "0::/\n",
      files: ["memory.max": "5\n", "cpu.max": "150000 100000\n"], memory: 5, processors: 1.5),
    Case(
      testDescription: "v2: no limit", groups: "0::/a\n",
      files: ["a/memory.max": "max\n", "a/cpu.max": "max 100000\n"],
      memory: nil, processors: nil),
    Case(
      testDescription: "v1: the group, of the machine's name", groups: v1,
      files: [
        "memory/memory.limit_in_bytes": "9223372036854771712\n",
        "memory/docker/a/memory.limit_in_bytes": "4096\n",
        "cpu/docker/cpu.cfs_quota_us": "-1\n", "cpu/docker/cpu.cfs_period_us": "100000\n",
        "cpu/docker/a/cpu.cfs_quota_us": "25000\n", "cpu/docker/a/cpu.cfs_period_us": "50000\n",
      ], memory: 4096, processors: 0.5),
    Case(
      testDescription: "v1: a container that sees its group as the root", groups: v1,
      files: [
        "memory/memory.limit_in_bytes": "4096\n", "cpu/cpu.cfs_quota_us": "300000\n",
        "cpu/cpu.cfs_period_us": "100000\n",
      ], memory: 4096, processors: 3),
    Case(
      testDescription: "both", groups: "3:memory:/\n0::/a\n",
      files: ["memory/memory.limit_in_bytes": "7\n", "unified/a/cpu.max": "100000 100000\n"], memory: 7,
      processors: 1),
    Case(testDescription: "none", groups: "", files: ["memory.max": "1\n"], memory: nil, processors: nil),
    Case(
      testDescription: "nonsense", groups: "0:/a\n::\n:memory\n0::/../..\n",
      files: ["memory.max": "", "cpu.max": "1 0\n"], memory: nil, processors: nil),
  ])
  func lowestLimitCounts(_ each: Case) throws {
    let root = try TemporaryFolder()
    try root.write("proc/self/cgroup", each.groups.utf8)
    for (name, text) in each.files { try root.write("sys/fs/cgroup/\(name)", text.utf8) }
    let groups = ControlGroups(root: root.path)
    #expect(groups.memory == each.memory)
    #expect(groups.processors == each.processors)
    #expect(groups.wholeProcessors == each.processors.map { Int($0.rounded(.up)) } ?? .max)
  }

  @Test func theProcessUsesNoMoreThanItsLimits() {
    #expect(ControlGroups.memoryLimit > 0)
    #expect(CurrentProcess.processorCount >= 1)
    #expect(CurrentProcess.processorCount <= ControlGroups.current.wholeProcessors)
  }
}
