import Synchronization

/// A number that any thread may change and read, at the cost of one instruction.
struct Counter: ~Copyable, Sendable {
  private let storage = Atomic(0)

  var value: Int { storage.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) {
    storage.wrappingAdd(amount, ordering: .relaxed)
  }

  func subtract(_ amount: Int = 1) {
    storage.wrappingSubtract(amount, ordering: .relaxed)
  }
}
