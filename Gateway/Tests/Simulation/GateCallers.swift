import ArgumentParser
import FaceCore
import FoundationEssentials
import GatewayCoding
import GatewayServing
import NIOCore
import NIOEmbedded

import func Glibc.getpid
import func Glibc.unlink

/// Callers with valid, removed and no tokens at any rate, beside what docs/gateway.md says of who may call.
final class GateCallers: SimulatedPart {
  private let loop: EmbeddedEventLoop
  private let report: Report
  private var random: SeededRandom
  private let folder: TokenFolder
  private let credentials: CredentialStore
  private let drain = DrainState()
  private let gate: RequestGate
  private let rate: Double
  /// The tokens by their names.
  private var tokens: [String: String] = [:]
  private var isStopping = false
  private var isDraining = false
  /// Calls that last, and sessions, each with the token that it began with.
  private var long: [(caller: Caller, name: String, secret: String)] = []
  private var sessions: [(token: SessionToken, name: String, secret: String)] = []
  /// By address: when its calls until now would have been made at the rate.
  private var paid: [String: Double] = [:]

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) throws {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    folder = TokenFolder()
    tokens = ["first": "secret-of-the-first-0"]
    try folder.write(tokens)
    credentials = try CredentialStore(try ServingOptions.parse(["--token-file", folder.path]))
    rate = [0.3, 1, 5, 100].randomElement(using: &random) ?? 1
    gate = RequestGate(
      credentials: credentials, rates: RateLimiter(rate: rate, loopbackRate: 0), log: AccessLog(isOn: false),
      drain: drain,
      counters: GatewayCounters())
  }

  func step() {
    switch random.pick(0...999) {
    case 0..<20: changeTokens()
    case 20..<24:
      drain.announce()
      isStopping = true
    case 24..<28:
      guard isStopping else { return }
      drain.begin()
      isDraining = true
    case 28: for number in 0..<random.pick(1...5000) { rateAlone("10.2.\(number >> 8).\(number & 255)") }
    case 29..<100:
      for index in long.indices { checkLong(index) }
      if random.isLucky(oneIn: 8) { long.removeAll { !isValid($0.name, $0.secret) } }
    default: for _ in 0..<random.pick(1...6) { call() }
    }
  }

  private func changeTokens() {
    let old = tokens
    let name = "caller-\(random.pick(1...3))"
    tokens[name] = random.isLucky(oneIn: 3) ? nil : "secret-of-\(name)-\(random.pick(1...3))"
    let isWrong = random.isLucky(oneIn: 4)
    do {
      try folder.write(isWrong ? ["first": "short"] : tokens)
      try credentials.reload()
      report.check(!isWrong, "a file with a short token is accepted")
    } catch {
      report.check(isWrong, "\(error)")
      tokens = old
    }
  }

  private func isValid(_ name: String, _ secret: String) -> Bool { tokens[name] == secret }

  private func checkLong(_ index: Int) {
    let (name, secret) = (long[index].name, long[index].secret)
    report.check(
      gate.stillAdmits(&long[index].caller) == isValid(name, secret),
      "a call with a token of \(name) is treated wrongly")
  }

  /// Whether a call from an address is within its rate; `nil` if it is just between.
  private func isPaid(_ host: String) -> Bool? {
    if paid[host] == nil {
      if paid.count >= 4096 { paid = paid.filter { $0.value > seconds } }
      if paid.count >= 4096 { return false }
    }
    let spare = (max(1, rate) - 1) / rate - (until(host) - seconds)
    return abs(spare) < 1e-6 ? nil : spare > 0
  }

  private var seconds: Double { Double(loop.now.uptimeNanoseconds) / 1e9 }
  private func until(_ host: String) -> Double { max(paid[host] ?? 0, seconds) }

  /// Notes whether a call of an address was admitted.
  private func pay(_ host: String, _ isAdmitted: Bool) {
    if paid[host] == nil, paid.count >= 4096 { return }
    paid[host] = until(host) + (isAdmitted ? 1 / rate : 0)
  }

  private func rateAlone(_ host: String) {
    guard let address = try? SocketAddress(ipAddress: host, port: 1) else { return }
    let isPaid = isPaid(host)
    let isAdmitted = gate.rates.admit(PeerAddress(address), at: loop.now)
    report.check(
      isPaid ?? isAdmitted == isAdmitted, "a call of \(host) is \(isAdmitted ? "admitted" : "refused")")
    pay(host, isAdmitted)
  }

  private func call() {
    let host = random.isLucky(oneIn: 8) ? "127.0.0.1" : "10.0.0.\(random.pick(1...4))"
    guard let address = try? SocketAddress(ipAddress: host, port: 1) else { return }
    let name = random.isLucky(oneIn: 3) ? "first" : "caller-\(random.pick(1...3))"
    let secret = random.isLucky(oneIn: 2) ? tokens[name] ?? "none" : "secret-of-\(name)-\(random.pick(1...3))"
    var headers =
      random.isLucky(oneIn: 8) ? [] : ["\(random.isLucky(oneIn: 2) ? "Bearer" : "bearer")  \(secret)"]
    if random.isLucky(oneIn: 20) { headers += ["Bearer x"] }
    var access = [RequestGate.Access.open, .probe, .call][random.pick(0...2)]
    var hasToken = headers.first != nil && headers != ["Bearer x"] && isValid(name, secret)
    if random.isLucky(oneIn: 4), let session = sessions.randomElement(using: &random) {
      headers = ["Bearer \(session.token.text)"]
      let other = sessions.randomElement(using: &random) ?? session
      access = .session(other.token)
      hasToken = other.token.text == session.token.text && isValid(session.name, session.secret)
    }
    var isOpen = false, isProbe = false
    switch access {
    case .open: isOpen = true
    case .probe: (isOpen, isProbe) = (true, true)
    case .call, .session: break
    }
    let isProbeOnly = random.isLucky(oneIn: 8)
    let isRated =
      headers.count <= 1 && (!isDraining || isProbe) && (hasToken || isOpen) && host != "127.0.0.1"
    let isPaid = isRated ? isPaid(host) : true
    let expected: StatusCode? =
      if headers.count > 1 { .invalidArgument } else if isDraining, !isProbe {
        .unavailable
      } else if !hasToken, !isOpen {
        .unauthenticated
      } else if isPaid == false { .resourceExhausted } else if isProbeOnly, !isProbe { .unavailable } else {
        nil
      }
    var caller = Caller(certificateName: nil)
    var outcome: StatusCode?
    do throws(CallFailure) {
      try gate.admit(PeerAddress(address), headers, access, isProbeOnly: isProbeOnly, &caller, at: loop.now)
    } catch {
      outcome = error.status.code
    }
    if isRated { pay(host, outcome != .resourceExhausted) }
    report.check(
      isPaid == nil || outcome == expected, "a call gets \(outcome as Any), not \(expected as Any)")
    guard outcome == nil, hasToken, case .call = access else { return }
    report.check(caller.name == name, "the caller \(name) is called \(caller.name ?? "")")
    if long.count < 20 { long.append((caller, name, secret)) }
    if sessions.count < 20 { sessions.append((SessionToken(opener: caller), name, secret)) }
    if random.isLucky(oneIn: 10) { sessions.removeAll { _ in random.isLucky(oneIn: 2) } }
  }

  func end() {}

  func check() {
    report.check(
      drain.isStopping == isStopping && drain.isDraining == isDraining, "the gateway stops, or does not")
  }
}

/// A folder with a file of tokens.
private final class TokenFolder {
  let path = "/tmp/simulate-gateway-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

  func write(_ tokens: [String: String]) throws {
    let text = tokens.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  deinit { unlink(path) }
}
