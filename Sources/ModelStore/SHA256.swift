import CMessageDigest

/// SHA-256 through libmd. Source: FIPS 180-4.
package enum SHA256 {
  /// The digest as 64 lower-case hexadecimal digits.
  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    var context = SHA2_CTX()
    SHA256Init(&context)
    SHA256Update(&context, bytes, bytes.count)
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256Final(&digest, &context)
    return String(
      decoding: digest.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
