import ArgumentParser
import Service

/// What the engine lets its peers do, as flags of `face-engine serve`. The other members of `ServiceLimits` keep their
/// defaults.
struct LimitOptions: ParsableArguments {
  private static let standard = ServiceLimits()

  @Option(help: "Bytes of one message.")
  var maxMessageBytes = standard.messageBytes

  @Option(help: "Connections of one user.")
  var connectionsPerUser = standard.connectionsPerUser

  @Option(help: "Bytes of shared memory of all connections of one user.")
  var mappedBytesPerUser = standard.mappedBytesPerUser

  @Option(help: "Guided checks of one user whose picture the engine keeps, of up to 64 MB each.")
  var checksPerUser = standard.checksPerUser

  var limits: ServiceLimits {
    var limits = ServiceLimits()
    limits.messageBytes = maxMessageBytes
    limits.connectionsPerUser = connectionsPerUser
    limits.mappedBytesPerUser = mappedBytesPerUser
    limits.checksPerUser = checksPerUser
    return limits
  }
}
