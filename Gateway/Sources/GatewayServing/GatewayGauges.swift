/// The values of the moment that the gateway's parts report, for /metrics. Used on the event loop.
package final class GatewayGauges {
  package struct Sample: Sendable {
    package let name: String
    package let help: String
    package let unit: String?
    /// Whether it only grows.
    package let isCounter: Bool
    /// As in ("transport", "http"); `nil` for the only sample of its name.
    package let label: (name: String, value: String)?
    package fileprivate(set) var value = 0
  }

  private var readers: [(sample: Sample, read: () -> Int)] = []

  package init() {}

  package func add(
    _ name: String, _ help: String, unit: String? = nil, isCounter: Bool = false,
    label: (name: String, value: String)? = nil, _ read: @escaping () -> Int
  ) {
    let sample = Sample(name: name, help: help, unit: unit, isCounter: isCounter, label: label)
    // Samples of one name follow one another.
    let place = readers.lastIndex { $0.sample.name == name }.map { $0 + 1 } ?? readers.endIndex
    readers.insert((sample, read), at: place)
  }

  package func read() -> [Sample] {
    readers.map { reader in
      var sample = reader.sample
      sample.value = reader.read()
      return sample
    }
  }
}
