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

  /// Waits until that is `count`. A single reading may be wrong: the kernel writes the list piece by piece, while other
  /// tests map memory.
  private func waitForMappings(_ count: Int, of inode: UInt) throws -> Bool {
    for _ in 0..<6000 {
      if try mappings(of: inode) == count { return true }
      usleep(10_000)
    }
    return false
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
    #expect(try waitForMappings(1, of: information.st_ino))
    _ = consume memory
    #expect(try waitForMappings(0, of: information.st_ino), "it is mapped after a minute")
  }
}
