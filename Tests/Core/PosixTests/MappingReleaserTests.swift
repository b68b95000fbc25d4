import FaceCore
import Glibc
import Posix
import Testing

@Suite struct MappingReleaserTests {
  /// The number of parts of a memfd, by its inode, that this process has mapped. proc_pid_maps(5)
  private func mappings(of inode: UInt) throws -> Int {
    let maps = String(decoding: try File.read("/proc/self/maps", limit: 64 << 20), as: UTF8.self)
    return maps.split(separator: "\n").count { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      return fields.count > 5 && fields[5].hasPrefix("/memfd:") && UInt(fields[4]) == inode
    }
  }

  private func descriptorOfMemory(_ size: Int) throws -> Int32 {
    let file = try MemoryFile(size: size)
    return dup(file.descriptor.raw)
  }

  /// Small memory is unmapped at once, large memory soon.
  @Test(arguments: [4096, 4 << 20, (4 << 20) + 4096, 100 << 20])
  func memoryThatIsDroppedIsUnmapped(size: Int) throws {
    try SharedMemory.startReleaser()
    let descriptor = try descriptorOfMemory(size)
    var information = stat()
    let code = fstat(descriptor, &information)
    #expect(code == 0)
    let memory = try SharedMemory(mapping: Descriptor(owning: descriptor), size: size)
    for offset in stride(from: 0, to: size, by: 4096) { #expect(memory.bytes[offset] == 0) }
    #expect(try mappings(of: information.st_ino) == 1)
    _ = consume memory
    for _ in 0..<6000 {
      if try mappings(of: information.st_ino) == 0 { return }
      usleep(10_000)
    }
    Issue.record("it is mapped after a minute")
  }
}
