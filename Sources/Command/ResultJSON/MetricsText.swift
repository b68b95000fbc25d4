public import FaceCore

/// Formats metrics as text: OpenMetrics, or the older Prometheus format.
///
/// Sources: github.com/prometheus/OpenMetrics, specification; prometheus.io, "Exposition formats".
public struct MetricsText {
  public enum Kind: String {
    case counter, gauge, histogram, info, summary
  }

  public typealias Labels = KeyValuePairs<String, String>

  private let isOpenMetrics: Bool
  public private(set) var text = ""

  public init(isOpenMetrics: Bool) {
    self.isOpenMetrics = isOpenMetrics
  }

  /// Adds a family; its samples come next.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String, unit: String? = nil) {
    // The older format has no info metrics, and its family names include the suffix.
    let end = kind == .counter ? "_total" : kind == .info ? "_info" : ""
    let full = isOpenMetrics ? name : name + end
    let type = !isOpenMetrics && kind == .info ? "gauge" : kind.rawValue
    text += "# HELP \(full) \(help)\n# TYPE \(full) \(type)\n"
    if isOpenMetrics, let unit { text += "# UNIT \(full) \(unit)\n" }
  }

  public mutating func sample(_ name: String, _ value: some CustomStringConvertible) {
    sample(name, [:], value)
  }

  public mutating func sample(_ name: String, _ labels: Labels, _ value: some CustomStringConvertible) {
    let list = labels.map { "\($0.key)=\(Self.quoted($0.value))" }.joined(separator: ",")
    text += name + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
  }

  /// Adds the samples of a histogram.
  ///
  /// - Parameters:
  ///   - label: what distinguishes it in its family; `nil` for the only one.
  ///   - counts: of each bucket alone; one more than there are bounds.
  public mutating func histogram(
    _ name: String, _ label: (name: String, value: String)?, bounds: [Double], counts: [Int], sum: Double
  ) {
    var total = 0
    for (end, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
      total += count
      sample(name + "_bucket", label.map { [$0.name: $0.value, "le": end] } ?? ["le": end], total)
    }
    let labels: Labels = label.map { [$0.name: $0.value] } ?? [:]
    sample(name + "_sum", labels, sum)
    sample(name + "_count", labels, total)
  }

  /// Adds a family with what is counted of each method by code.
  public mutating func counts(
    _ name: String, _ help: String, _ methods: [MethodStats], _ path: KeyPath<MethodStats, [StatusCode: Int]>
  ) {
    family(name, .counter, help)
    for method in methods {
      for (code, count) in method[keyPath: path].sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        sample(name + "_total", ["method": method.method, "code": "\(code.name)"], count)
      }
    }
  }

  public mutating func end() {
    if isOpenMetrics { text += "# EOF\n" }
  }

  private static func quoted(_ value: String) -> String {
    let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
      "\n", with: "\\n")
    return "\"\(escaped)\""
  }
}
