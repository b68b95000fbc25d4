/// What makes a plan smaller.
extension FusedPlan {
  /// Takes out the steps that no output needs.
  mutating func removeUnneeded() {
    var needed = Set(outputs.map(\.step))
    for index in steps.indices.reversed() where needed.contains(index) {
      needed.formUnion([steps[index].source, steps[index].added].compactMap { $0 })
    }
    keep(steps.indices.filter(needed.contains))
  }

  /// Lays the ends of the network that take the same rows side by side, as channels of the same steps: a few channels
  /// each would fill no vector.
  mutating func joinHeads() {
    let heads = outputs.indices.compactMap { head(ofOutput: $0) }
    let groups = Dictionary(grouping: heads) { Form(steps[$0.steps[0]], length: $0.steps.count) }
    var joined: Set<Int> = []
    for group in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0].output < $1[0].output }) {
      for depth in group[0].steps.indices { appendJoined(group.map { $0.steps[depth] }, depth: depth) }
      var channel = 0
      for head in group {
        outputs[head.output].step = steps.count - 1
        outputs[head.output].firstChannel = channel
        channel += outputs[head.output].channels
        joined.formUnion(head.steps)
      }
    }
    keep(steps.indices.filter { !joined.contains($0) })
  }

  /// The steps of one output alone, first to last.
  private struct Head {
    var output: Int
    var steps: [Int]
  }

  /// What heads must have in common.
  private struct Form: Hashable {
    let source: Int?
    let isSourcePooled: Bool
    let length: Int

    init(_ first: Step, length: Int) {
      source = first.source
      isSourcePooled = first.isSourcePooled
      self.length = length
    }
  }

  /// A 1×1 convolution, alone or with a depthwise one after it, of which only this output is made.
  private func head(ofOutput output: Int) -> Head? {
    let last = outputs[output].step
    var chain = [last]
    if steps[last].kind == .depthwise, steps[last].stride == 1, let source = steps[last].source {
      chain.insert(source, at: 0)
    }
    let first = steps[chain[0]]
    guard first.kind == .convolution, first.kernel == 1, first.source != nil,
      chain.allSatisfy({ steps[$0].activation == .none && steps[$0].added == nil }),
      outputs.filter({ chain.contains($0.step) }).count == 1,
      chain.allSatisfy({ index in
        steps.filter { $0.source == index || $0.added == index }.count == (index == last ? 0 : 1)
      })
    else { return nil }
    return Head(output: output, steps: chain)
  }

  /// One step of what several make; those at `depth` 1 take the last that was appended.
  private mutating func appendJoined(_ parts: [Int], depth: Int) {
    var step = steps[parts[0]]
    let weights = parts.flatMap { steps[$0].weights.map { values[$0] } ?? [] }
    let bias = parts.flatMap { steps[$0].bias.map { values[$0] } ?? [] }
    step.outChannels = bias.count
    if depth > 0 {
      step.source = steps.count - 1
      step.inChannels = bias.count
    }
    step.weights = store(weights)
    step.bias = store(bias)
    steps.append(step)
  }

  /// Only the steps at `indices`, in their order, of which none takes another one.
  private mutating func keep(_ indices: [Int]) {
    let places = Dictionary(uniqueKeysWithValues: zip(indices, indices.indices))
    steps = indices.map { index in
      var step = steps[index]
      step.source = step.source.flatMap { places[$0] }
      step.added = step.added.flatMap { places[$0] }
      return step
    }
    for index in outputs.indices { outputs[index].step = places[outputs[index].step] ?? 0 }
  }
}
