import NIOSSL

/// TLS of the gateway's addresses.
enum TLSSettings {
  /// - Parameter protocols: those that clients may choose from, as in ["h2"].
  /// - Returns: `nil` where there is no certificate.
  static func make(_ options: ServingOptions, protocols: [String]) throws -> TLSConfiguration? {
    guard let certificate = options.tlsCertificate, let key = options.tlsKey else { return nil }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = protocols
    if let authorities = options.clientCa {
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .file(authorities)
    }
    return configuration
  }
}
