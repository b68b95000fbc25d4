import FoundationEssentials
import NIOCore
import Synchronization

/// Counts the inferences of each model since the gateway started, and the time that they took.
///
/// Source: Triton's statistics extension, docs/protocol/extension_statistics.md.
final class InferenceStatistics: Sendable {
  /// How often something happened, and the time of all together.
  struct Total: Sendable {
    var count: UInt64 = 0
    var nanoseconds: UInt64 = 0

    mutating func add(_ time: TimeAmount) {
      count += 1
      nanoseconds += UInt64(max(0, time.nanoseconds))
    }
  }

  /// The parts of an inference that succeeded.
  struct Times: Sendable {
    var input: TimeAmount
    /// The engine's call, with its queue.
    var infer: TimeAmount
    var output: TimeAmount
  }

  struct Counts: Sendable {
    /// Inferences of another version are not in it.
    let version: String
    /// Milliseconds since 1970 at the end of the last inference; 0 for none.
    var last: UInt64 = 0
    var pictures: UInt64 = 0
    var success = Total()
    var failure = Total()
    var input = Total()
    var infer = Total()
    var output = Total()

    /// The totals with the protocol's names and field numbers. The queue is part of the engine's call, and nothing is
    /// cached.
    var totals: [(name: String, field: Int, total: Total)] {
      [
        ("success", 1, success), ("fail", 2, failure), ("queue", 3, Total()), ("compute_input", 4, input),
        ("compute_infer", 5, infer), ("compute_output", 6, output), ("cache_hit", 7, Total()),
        ("cache_miss", 8, Total()),
      ]
    }
  }

  /// The counts by the model's name. A version that takes another's place begins anew.
  private let counts = Mutex<[String: Counts]>([:])

  func succeeded(_ model: InferenceModel.Entry, pictures: Int, in time: TimeAmount, _ times: Times) {
    change(model) { counts in
      counts.pictures += UInt64(pictures)
      counts.success.add(time)
      counts.input.add(times.input)
      counts.infer.add(times.infer)
      counts.output.add(times.output)
    }
  }

  func failed(_ model: InferenceModel.Entry, in time: TimeAmount) {
    change(model) { $0.failure.add(time) }
  }

  func counts(of model: InferenceModel.Entry) -> Counts {
    let found = counts.withLock { $0[model.name] }
    guard let found, found.version == model.version else { return Counts(version: model.version) }
    return found
  }

  private func change(_ model: InferenceModel.Entry, _ body: (inout Counts) -> Void) {
    let now = UInt64(max(0, Date.now.timeIntervalSince1970 * 1000))
    counts.withLock { counts in
      var mine = counts[model.name] ?? Counts(version: model.version)
      if mine.version != model.version { mine = Counts(version: model.version) }
      mine.last = now
      body(&mine)
      counts[model.name] = mine
    }
  }
}
