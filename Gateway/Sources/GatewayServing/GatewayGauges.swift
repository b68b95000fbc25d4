/// The values of the moment that the gateway's parts report, for /metrics. Used on the event loop.
package final class GatewayGauges {
  /// A family of values, as for each transport.
  package struct Family: Sendable {
    package let name: String
    package let help: String
    package let unit: String?
    /// Whether it only grows.
    package let isCounter: Bool
    package let samples: [Sample]
  }

  package struct Sample: Sendable {
    /// As in ("transport", "http"); `nil` in a family of one value.
    package let label: (name: String, value: String)?
    package let value: Int
  }

  private var readers: [(family: Family, label: (name: String, value: String)?, read: () -> Int)] = []

  package init() {}

  /// Adds a value to a family. Values of one name follow one another.
  package func add(
    _ name: String, _ help: String, unit: String? = nil, isCounter: Bool = false,
    label: (name: String, value: String)? = nil, _ read: @escaping () -> Int
  ) {
    readers.append(
      (Family(name: name, help: help, unit: unit, isCounter: isCounter, samples: []), label, read))
  }

  package func read() -> [Family] {
    var names: [String] = []
    for reader in readers where !names.contains(reader.family.name) { names.append(reader.family.name) }
    return names.map { name in
      let own = readers.filter { $0.family.name == name }
      let family = own[0].family
      return Family(
        name: name, help: family.help, unit: family.unit, isCounter: family.isCounter,
        samples: own.map { Sample(label: $0.label, value: $0.read()) })
    }
  }
}
