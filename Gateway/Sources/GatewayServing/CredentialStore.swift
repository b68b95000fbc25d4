package import FaceCore
import Glibc
import Posix
import Synchronization

/// Holds what is read from the files of tokens, certificates and keys, and reads these files anew while the
/// gateway serves.
package final class CredentialStore: Sendable {
  private struct Credentials {
    let tokens: AccessTokens?
    let tls: TLSContexts?
    /// How often they were read.
    let version: Int
    /// The version since which the authorities of clients are the same.
    let authoritiesVersion: Int

    init(_ options: ServingOptions, after last: Credentials? = nil) throws(Status) {
      tokens = try options.tokenFile.map { (path) throws(Status) in
        try AccessTokens(try CredentialStore.read(path), path: path)
      }
      tls = try TLSContexts(options)
      version = (last?.version ?? 0) + 1
      authoritiesVersion =
        if let last, last.tls?.authorities == tls?.authorities { last.authoritiesVersion } else { version }
    }
  }

  private let options: ServingOptions
  private let credentials: Mutex<Credentials>

  private static let maxBytes = 4 << 20

  static func read(_ path: String) throws(Status) -> [UInt8] { try File.read(path, limit: maxBytes) }

  /// Throws, naming the file, for unusable files.
  package init(_ options: ServingOptions) throws(Status) {
    self.options = options
    credentials = Mutex(try Credentials(options))
  }

  /// The tokens that calls need now; `nil` if they need none.
  package var tokens: AccessTokens? { credentials.withLock { $0.tokens } }

  /// Changes whenever the files are read anew.
  package var version: Int { credentials.withLock { $0.version } }

  /// Changes with the authorities of clients' certificates: connections that were opened before are not known any more.
  package var authoritiesVersion: Int { credentials.withLock { $0.authoritiesVersion } }

  /// Whether the token of a caller, if it has one, is still valid.
  func allows(_ caller: Caller) -> Bool {
    guard let token = caller.token, let tokens else { return true }
    return tokens.contains(token)
  }

  /// Whether whoever opened a session may still call.
  package func allows(_ token: SessionToken) -> Bool {
    allows(token.opener)
  }

  /// What connections begin with now; `nil` without TLS.
  package var tls: TLSContexts? { credentials.withLock { $0.tls } }

  /// Reads all files anew, for connections and calls that begin from now on. If one of them is wrong, what was
  /// read before stays, and it throws. To be called from one thread at a time, which it blocks.
  package func reload() throws(Status) {
    let new = try Credentials(options, after: credentials.withLock { $0 })
    credentials.withLock { $0 = new }
  }

  /// Reads all files anew, and tells the operator what became of it.
  private func reloadForOperator() {
    guard !paths.isEmpty else { return tellOperator("has no files of tokens or certificates to reload") }
    do throws(Status) {
      try reload()
    } catch {
      return tellOperator("keeps its tokens and certificates: \(error.message)")
    }
    tellOperator("reloaded tokens and certificates")
  }

  /// Reloads at each SIGHUP from now on.
  package func reloadOnHangup() throws(Status) {
    let hangups = try GatewaySignal.sequence(of: [SIGHUP])
    Task { for await _ in hangups { reloadForOperator() } }
  }

  /// The files that are read.
  package var paths: [String] {
    [options.tokenFile, options.tlsCertificate, options.tlsKey, options.clientCa].compactMap(\.self)
  }

  /// The folders in which these files may be replaced, by renaming a file or a link.
  package var folders: [String] { paths.flatMap { LinkedPath.folders(leadingTo: $0) } }
}

/// Follows the links of a path.
enum LinkedPath {
  /// The most links that are followed, as in Linux.
  private static let maxLinks = 40

  /// The folder of a file, and those of the links that lead to it, without links in their own paths.
  ///
  /// The root is never among them, nor a folder below it that only has a link to another folder, as /var has
  /// run: these have everything else as well. path_resolution(7)
  static func folders(leadingTo path: String) -> [String] {
    var folders: [String] = []
    var rest = path.split(separator: "/")[...]
    if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
      rest = (String(cString: current).split(separator: "/") + rest)[...]
      free(current)
    }
    var folder: [Substring] = []
    var linkCount = 0
    while let part = rest.popFirst() {
      switch part {
      case ".": continue
      case "..": _ = folder.popLast()
      default:
        let here = "/" + folder.joined(separator: "/")
        let isLast = rest.isEmpty
        let target = target(ofLink: folder.isEmpty ? "/\(part)" : "\(here)/\(part)")
        if isLast ? !folder.isEmpty : target != nil && folder.count > 1, !folders.contains(here) {
          folders.append(here)
        }
        guard let target else {
          folder.append(part)
          continue
        }
        linkCount += 1
        guard linkCount <= maxLinks else { return folders }
        if target.hasPrefix("/") { folder = [] }
        rest = (target.split(separator: "/") + rest)[...]
      }
    }
    return folders
  }

  /// What a link says; `nil` if there is no link.
  private static func target(ofLink path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
      guard let start = room.baseAddress else { return nil }
      let count = readlink(path, start, room.count)
      return count < 0
        ? nil : String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }
}
