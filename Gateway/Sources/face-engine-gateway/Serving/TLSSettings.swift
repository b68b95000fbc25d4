import FaceCore
import NIOSSL

/// The TLS settings for the gateway's addresses, as read from files.
struct TLSSettings: Sendable {
  private let chain: [NIOSSLCertificate]
  private let key: NIOSSLPrivateKey
  /// The certificate authorities for clients; empty to accept any client.
  private let authorities: [NIOSSLCertificate]

  /// Returns `nil` without a certificate. Throws `notFound` or `invalidArgument` for files that cannot be
  /// read.
  init?(_ options: ServingOptions) throws(Status) {
    guard let certificate = options.tlsCertificate, let key = options.tlsKey else { return nil }
    for path in [certificate, key] + [options.clientCa].compactMap({ $0 }) { _ = try TextFile.read(path) }
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificate)
      self.key = try NIOSSLPrivateKey(file: key, format: .pem)
      authorities = try options.clientCa.map { try NIOSSLCertificate.fromPEMFile($0) } ?? []
    } catch {
      throw Status(.invalidArgument, "the certificate, key or authorities are not PEM files: \(error)")
    }
  }

  /// - Parameter protocols: the protocols that clients may choose from, as in ["h2"].
  func configuration(protocols: [String]) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = protocols
    if !authorities.isEmpty {
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates(authorities)
    }
    return configuration
  }
}
