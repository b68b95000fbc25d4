import FaceCore
package import NIOSSL

/// What new TLS connections begin with, made of the files of a certificate, its key and the authorities of
/// clients.
package struct TLSContexts: Sendable {
  package let http: NIOSSLContext
  package let grpc: NIOSSLContext
  /// Those who sign clients' certificates; `nil` if clients need none.
  let authorities: [NIOSSLCertificate]?

  /// Returns `nil` without a certificate. Throws `notFound`, `outOfRange` or `invalidArgument`, naming the
  /// file, for files that cannot be read or do not belong together.
  init?(_ options: ServingOptions) throws(Status) {
    guard let certificatePath = options.tlsCertificate, let keyPath = options.tlsKey else { return nil }
    let chain = try Self.certificates(certificatePath)
    let keyText = try CredentialStore.read(keyPath)
    // NIOSSL ends the process for an empty one.
    guard !keyText.isEmpty, let key = try? NIOSSLPrivateKey(bytes: keyText, format: .pem) else {
      throw Status(
        .invalidArgument, "\(keyPath) has no PEM private key without a passphrase; give a file with such a key")
    }
    let authorities = try options.clientCa.map { (path) throws(Status) in try Self.certificates(path) }
    self.authorities = authorities
    func context(_ applications: [String]) throws(Status) -> NIOSSLContext {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = applications
      if let authorities {
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates(authorities)
      }
      do {
        return try NIOSSLContext(configuration: configuration)
      } catch {
        throw Status(
          .invalidArgument,
          "the key \(keyPath) does not belong to the certificate \(certificatePath), or TLS does not support it; give a matching pair"
        )
      }
    }
    http = try context(["h2", "http/1.1"])
    grpc = try context(["h2"])
  }

  private static func certificates(_ path: String) throws(Status) -> [NIOSSLCertificate] {
    let text = try CredentialStore.read(path)
    guard !text.isEmpty, let found = try? NIOSSLCertificate.fromPEMBytes(text) else {
      throw Status(
        .invalidArgument, "\(path) has no PEM certificates, or a damaged one; give a file of PEM certificates"
      )
    }
    return found
  }
}

extension NIOSSLCertificate {
  package var callerName: String? {
    subjectName.last { $0.type == .commonName }.map { String($0.value.prefix(AccessTokens.maxNameLength)) }
  }
}
