import FaceCore

/// The secrets that callers may send, each with a name for the log.
package struct AccessTokens: Sendable {
  static let minLength = 16
  static let maxCount = 1000
  static let maxNameLength = 64

  package struct Token: Sendable, Equatable {
    let name: String
    fileprivate let secret: [UInt8]
  }

  private let entries: [Token]

  /// Reads a file's text: a token a line, as in "TOKEN" or "kiosk: TOKEN". Empty lines, and those that begin
  /// with #, are skipped. A token without a name is called by its line, as in "line-1".
  ///
  /// Throws `invalidArgument`, naming the line but not its token, for one that could be guessed or not be
  /// sent, and for two that are equal.
  init(_ text: [UInt8], path: String) throws(Status) {
    var entries: [Token] = []
    var number = 0
    for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let line = Self.trimmed(bytes)
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      let place = "\(path), line \(number)"
      let entry = try Self.entry(line, number: number, place)
      for other in entries {
        guard other.name != entry.name else {
          throw Status(
            .invalidArgument, "\(place): there is already a token named \(entry.name); choose another name"
          )
        }
        guard other.secret != entry.secret else {
          throw Status(
            .invalidArgument, "\(place): the token is the same as \(other.name)'s; give each caller its own")
        }
      }
      guard entries.count < Self.maxCount else {
        throw Status(.invalidArgument, "\(place): there are more than \(Self.maxCount) tokens; remove some")
      }
      entries.append(entry)
    }
    guard !entries.isEmpty else {
      throw Status(
        .invalidArgument,
        "\(path) has no token; write one per line, of \(Self.minLength) characters or more, as in kiosk: TOKEN"
      )
    }
    self.entries = entries
  }

  private static func entry(
    _ line: ArraySlice<UInt8>, number: Int, _ place: String
  ) throws(Status) -> Token {
    var name = "line-\(number)"
    var secret = line
    if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let given = trimmed(line[..<colon])
      guard !given.isEmpty, given.count <= maxNameLength, given.allSatisfy(isOfName) else {
        throw Status(
          .invalidArgument,
          "\(place): the text before the colon is not a name; use at most \(maxNameLength) letters, digits and - . _"
        )
      }
      name = String(decoding: given, as: UTF8.self)
      secret = trimmed(line[line.index(after: colon)...])
    }
    guard secret.count >= minLength else {
      throw Status(
        .invalidArgument,
        "\(place): the token has fewer than \(minLength) characters and could be guessed; make a longer one")
    }
    // What a header can have, without the spaces and colons that this file separates by.
    guard secret.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }) else {
      throw Status(
        .invalidArgument,
        "\(place): the token has invalid characters; use letters, digits and - . _ ~ + / =")
    }
    return Token(name: name, secret: Array(secret))
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    var rest = bytes.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }

  /// The token in an authorization header; `nil` if it is not one of these. The time does not tell how much of a
  /// token was right.
  func token(in authorization: String?) -> Token? {
    guard let given = BearerToken.sent(in: authorization) else { return nil }
    var found: Token?
    // All are compared, whichever it is.
    for entry in entries where BearerToken.isEqual(given, entry.secret) { found = entry }
    return found
  }

  func contains(_ token: Token) -> Bool { entries.contains(token) }
}

/// Who makes a call.
package struct Caller: Sendable {
  /// The name for the log: that of the token, or of the certificate; `nil` if there is neither.
  package internal(set) var name: String?
  package internal(set) var token: AccessTokens.Token?
  /// Whether it has the token of a session, whose opener is named.
  package internal(set) var hasSessionToken = false

  /// The version of the credentials by which it was admitted last.
  var version = 0

  /// - Parameter certificateName: the name in the client's certificate, if it has one.
  package init(certificateName: String?) { name = certificateName }

  /// Who gets a share of what callers compete for: a token's owner, or else an address.
  package func holder(at peer: PeerAddress) -> String { token.map { "token \($0.name)" } ?? peer.host }
}

/// A secret that is made for one session, and opens that session alone.
package struct SessionToken: Sendable {
  package let text: String
  let opener: Caller

  package init(opener: Caller) {
    text = Self.randomText()
    self.opener = opener
  }

  /// 128 bits from the system's random number generator, as 32 hexadecimal digits.
  package static func randomText() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether an authorization header has this token. The time does not tell how much of it was right.
  func matches(_ authorization: String?) -> Bool {
    guard let given = BearerToken.sent(in: authorization) else { return false }
    return BearerToken.isEqual(given, Array(text.utf8))
  }
}

/// Reads and compares the tokens of `authorization: Bearer TOKEN`.
///
/// Source: RFC 6750, section 2.1; RFC 9110, section 11.1: the scheme is the same in upper and lower case, and
/// spaces follow it.
private enum BearerToken {
  static func sent(in header: String?) -> [UInt8]? {
    let scheme = "bearer".utf8
    guard let bytes = header?.utf8, bytes.count > scheme.count,
      zip(bytes, scheme).allSatisfy({ given, letter in given | 0x20 == letter })
    else { return nil }
    let rest = bytes.dropFirst(scheme.count)
    guard rest.first == 0x20 else { return nil }
    return Array(rest.drop { $0 == 0x20 })
  }

  /// Compares in a time that depends on the lengths alone.
  static func isEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
    var difference = UInt8(given.count == expected.count ? 0 : 1)
    for index in expected.indices {
      difference |= expected[index] ^ (index < given.count ? given[index] : 0)
    }
    return difference == 0
  }
}
